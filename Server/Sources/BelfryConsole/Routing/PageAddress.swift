import HTTPTypes

/// Finds the page for an address: forms are sent to addresses that show no page by GET (CON-11).
enum PageAddress {
    /// The path patterns of all pages, as lists of parts. Parameters in braces are equal, whatever their names.
    private static let pages = Set(
        WebConsole.routes.filter { $0.method == .get && !$0.isLive }.map { parts(of: $0.path) }
    )

    /// - Parameters:
    ///   - address: the path and query of the call.
    ///   - route: the route of the call.
    /// - Returns: the address itself if it shows a page by GET, or else that of the nearest page above it.
    static func of(_ address: String, at route: ConsoleRoute) -> String {
        guard route.method != .get else { return address }
        let parts = parts(of: route.path)
        let depth = (0...parts.count).last { pages.contains(Array(parts.prefix($0))) } ?? 0
        // The first part is `console`.
        let present = address.utf8.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
        let page = present.prefix(depth + 1).map { "/" + String(decoding: $0, as: UTF8.self) }.joined()
        return SignInPages.safe(page)
    }

    /// Whether two routes have the same path, with any method.
    static func isSame(_ route: ConsoleRoute, _ other: ConsoleRoute) -> Bool {
        parts(of: route.path) == parts(of: other.path)
    }

    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { part in
            part.first == UInt8(ascii: "{") ? "{}" : String(decoding: part, as: UTF8.self)
        }
    }
}
