import HTTPTypes

/// The calls of which the express lane takes the ordinary ones.
enum ExpressCall: Hashable, Sendable {
    case events(EventVersion)
    case registration
    /// The messages of a centre, by its name.
    case messages(String)
    case messageCenters

    /// The call that a request's first line names, and the code of its app: `POST /v3/apps/{code}/client/events`.
    static func find(_ method: HTTPRequest.Method, _ path: String) -> (call: ExpressCall, app: String)? {
        switch method {
        case .post: upload(path)
        case .get: fetch(path)
        default: nil
        }
    }

    /// Whether the request has something to say in a body.
    var hasBody: Bool {
        switch self {
        case .events, .registration: true
        case .messages, .messageCenters: false
        }
    }

    private static func upload(_ path: String) -> (call: ExpressCall, app: String)? {
        if path.hasPrefix("/v3/apps/") {
            return app(in: path, end: "/client/events").map { (.events(.v3), $0) }
                ?? app(in: path, end: "/client/registration").map { (.registration, $0) }
        }
        // The clients of version 3 send their events to version 4 (WIRE-6).
        guard path.hasPrefix("/v4/apps/") else { return nil }
        return app(in: path, end: "/client/events").map { (.events(.v4), $0) }
    }

    private static func fetch(_ path: String) -> (call: ExpressCall, app: String)? {
        guard path.hasPrefix("/v3/apps/") else { return nil }
        if let code = app(in: path, end: "/client/message-centers") { return (.messageCenters, code) }
        let parts = path.utf8.dropFirst(9).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, isPlain(parts[0]), isPlain(parts[3]), parts[1].elementsEqual("client".utf8),
            parts[2].elementsEqual("message-centers".utf8), parts[4].elementsEqual("messages".utf8)
        else { return nil }
        return (.messages(String(parts[3]) ?? ""), String(parts[0]) ?? "")
    }

    private static func app(in path: String, end: String) -> String? {
        guard path.hasSuffix(end) else { return nil }
        let code = path.utf8.dropFirst(9).dropLast(end.utf8.count)
        return isPlain(code) ? String(code) : nil
    }

    /// Neither parts of a path nor anything to decode, nor a query.
    private static func isPlain(_ text: Substring.UTF8View) -> Bool {
        !text.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "?") }
    }
}
