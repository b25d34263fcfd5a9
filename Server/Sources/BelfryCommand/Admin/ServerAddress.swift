import BelfryModel
import Foundation

/// Where a server is: `http://HOST:PORT` or `https://HOST`, with the path that a proxy may ask for and without a slash
/// at its end.
struct ServerAddress: Hashable, Sendable {
    static let standard = "http://127.0.0.1:8080"

    let text: String

    /// Nil for what is no such address.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), let url = URLText.url(text),
            ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host, !host.isEmpty,
            (1...65_535).contains(url.port ?? 80), url.query == nil, url.fragment == nil, url.user == nil
        else { return nil }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }
}
