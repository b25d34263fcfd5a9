import HTTPTypes

/// Where the page of an address is, for what asks for it by GET: forms are sent to addresses that show none (CON-11).
enum PageAddress {
    /// The patterns of all pages, by their parts. Parts in braces are the same, whatever they are called.
    private static let pages = Set(
        WebConsole.routes.filter { $0.method == .get && !$0.isLive }.map { parts(of: $0.path) }
    )

    /// - Parameters:
    ///   - address: that was called: path and query.
    ///   - route: that serves it.
    /// - Returns: the same where it shows a page by GET, else that of the nearest page above it.
    static func of(_ address: String, at route: ConsoleRoute) -> String {
        guard route.method != .get else { return address }
        let parts = parts(of: route.path)
        let depth = (0...parts.count).last { pages.contains(Array(parts.prefix($0))) } ?? 0
        // The first part is the console's own.
        let present = address.utf8.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
        let page = present.prefix(depth + 1).map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
        return SignInPages.safe(page)
    }

    /// Whether a route has the address of another one, by whatever method.
    static func isSame(_ route: ConsoleRoute, _ other: ConsoleRoute) -> Bool {
        parts(of: route.path) == parts(of: other.path)
    }

    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { part in
            part.first == UInt8(ascii: "{") ? "{}" : String(decoding: part, as: UTF8.self)
        }
    }
}
