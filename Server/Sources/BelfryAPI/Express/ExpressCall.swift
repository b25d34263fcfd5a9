import HTTPTypes

/// The operations that the express lane can handle.
enum ExpressCall: Hashable, Sendable {
    case events(EventVersion)
    case registration
    /// The messages of a message center, by its name.
    case messages(String)
    case messageCenters
    /// The changes of in-app messages since a cursor.
    case inAppMessages(String)

    /// The operation of a request line such as `POST /v3/apps/{code}/client/events`, and the app's code.
    static func find(_ method: HTTPRequest.Method, _ path: String) -> (call: ExpressCall, app: String)? {
        switch method {
        case .post: upload(path)
        case .get: fetch(path)
        default: nil
        }
    }

    /// Whether the request has a body.
    var hasBody: Bool {
        switch self {
        case .events, .registration: true
        case .messages, .messageCenters, .inAppMessages: false
        }
    }

    private static func upload(_ path: String) -> (call: ExpressCall, app: String)? {
        if path.utf8.starts(with: "/v3/apps/".utf8) {
            return app(in: path, end: "/client/events").map { (.events(.v3), $0) }
                ?? app(in: path, end: "/client/registration").map { (.registration, $0) }
        }
        // Clients of version 3 send their events to a path of version 4 (WIRE-6).
        guard path.utf8.starts(with: "/v4/apps/".utf8) else { return nil }
        return app(in: path, end: "/client/events").map { (.events(.v4), $0) }
    }

    private static func fetch(_ path: String) -> (call: ExpressCall, app: String)? {
        guard path.utf8.starts(with: "/v3/apps/".utf8) else { return nil }
        if let code = app(in: path, end: "/client/message-centers") { return (.messageCenters, code) }
        if let sync = sync(path) { return sync }
        let parts = path.utf8.dropFirst(9).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, isPlain(parts[0]), isPlain(parts[3]), parts[1].elementsEqual("client".utf8),
            parts[2].elementsEqual("message-centers".utf8), parts[4].elementsEqual("messages".utf8)
        else { return nil }
        return (.messages(String(parts[3]) ?? ""), String(parts[0]) ?? "")
    }

    /// The only query parameter of a sync is the cursor; this server's cursors need no decoding.
    private static func sync(_ path: String) -> (call: ExpressCall, app: String)? {
        guard let question = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = path.utf8[path.utf8.index(after: question)...]
        guard query.starts(with: "since=".utf8), isCursor(query.dropFirst(6)),
            let code = app(in: String(path[..<question]), end: "/client/in-app-messages")
        else { return nil }
        return (.inAppMessages(String(query.dropFirst(6)) ?? ""), code)
    }

    /// The characters of base64url (RFC 4648 §5).
    private static func isCursor(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty
            && text.allSatisfy { byte in
                (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    private static func app(in path: String, end: String) -> String? {
        guard path.utf8.reversed().starts(with: end.utf8.reversed()) else { return nil }
        let code = path.utf8.dropFirst(9).dropLast(end.utf8.count)
        return isPlain(code) ? String(code) : nil
    }

    /// Whether it is one path segment without a query and without anything to decode.
    private static func isPlain(_ text: Substring.UTF8View) -> Bool {
        !text.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "?") }
    }
}
