/// The calls of which the express lane takes the ordinary ones.
enum ExpressCall: Hashable, Sendable {
    case events(EventVersion)
    case registration

    /// The call that a path names, and the code of its app: `/v3/apps/{code}/client/events`.
    static func find(_ path: String) -> (call: ExpressCall, app: String)? {
        if path.hasPrefix("/v3/apps/") {
            return app(in: path, end: "/client/events").map { (.events(.v3), $0) }
                ?? app(in: path, end: "/client/registration").map { (.registration, $0) }
        }
        // The clients of version 3 send their events to version 4 (WIRE-6).
        guard path.hasPrefix("/v4/apps/") else { return nil }
        return app(in: path, end: "/client/events").map { (.events(.v4), $0) }
    }

    private static func app(in path: String, end: String) -> String? {
        guard path.hasSuffix(end) else { return nil }
        let code = path.utf8.dropFirst(9).dropLast(end.utf8.count)
        guard !code.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return nil }
        return String(code)
    }
}
