import Foundation

/// How a body is compressed on its way (RFC 9110 §8.4.1).
enum ContentCoding: Hashable, Sendable {
    case gzip
    /// The zlib format (RFC 1950), whatever the name suggests.
    case deflate

    /// What a body may come in, as `Accept-Encoding` says it.
    static let accepted = "gzip, deflate"

    /// The coding that a `Content-Encoding` names; nil for none.
    init?(header: String) throws(UnknownContentCoding) {
        let names = header.split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        guard let name = names.first else { return nil }
        switch name {
        case _ where names.count > 1: throw UnknownContentCoding()
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: throw UnknownContentCoding()
        }
    }
}

/// A coding that the server does not take, or several of them one around the other.
struct UnknownContentCoding: Error, Hashable, Sendable {}
