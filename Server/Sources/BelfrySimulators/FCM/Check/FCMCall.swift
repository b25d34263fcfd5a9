/// The operation that a request calls, by its method and path.
///
/// Sources: Google, "Method: projects.messages.send"; "REST Resource: projects.registrations.topicSubscriptions", of
/// which `create` and `delete` are here.
struct FCMCall: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case send
        /// `registration` is a token or an installation id.
        case subscribe(registration: String, topic: String)
        /// `allowsMissing`: a missing subscription is not an error.
        case unsubscribe(registration: String, topic: String, allowsMissing: Bool)
    }

    let project: String
    let kind: Kind

    init(_ request: PlainRequest) throws(FCMRequestError) {
        let parts = request.path.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { Substring($0) }
        let path = parts[0].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        let query = FormFields(Array((parts.count > 1 ? parts[1] : "").utf8))
        guard path.count >= 5, path[0].isEmpty, path[1] == "v1", path[2] == "projects", !path[3].isEmpty,
            let kind = Self.kind(request.method, Array(path[4...]), query)
        else { throw FCMRequestError(.notFound, "The requested URL was not found on this server.") }
        project = path[3]
        self.kind = kind
    }

    /// The kind of call. Google's query accepts each name in two spellings, as its JSON does.
    private static func kind(_ method: String, _ path: [String], _ query: FormFields) -> Kind? {
        if method == "POST", path == ["messages:send"] { return .send }
        guard path.count >= 3, path[0] == "registrations", path[2] == "topicSubscriptions" else { return nil }
        let registration = FormFields.decoded(path[1])
        switch (method, path.count) {
        case ("POST", 3):
            return .subscribe(registration: registration, topic: query["topicName"] ?? query["topic_name"] ?? "")
        case ("DELETE", 4):
            let allowsMissing = (query["allowMissing"] ?? query["allow_missing"]) == "true"
            return .unsubscribe(
                registration: registration, topic: FormFields.decoded(path[3]), allowsMissing: allowsMissing)
        default: return nil
        }
    }
}
