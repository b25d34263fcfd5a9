import BelfryModel
import Foundation

/// The content codings of bodies (RFC 9110 §8.4.1).
enum ContentCoding: Hashable, Sendable {
    case gzip
    /// The zlib format (RFC 1950), despite its name.
    case deflate

    /// The codings of request bodies, as an `Accept-Encoding` value.
    static let accepted = "gzip, deflate"

    /// The coding that a `Content-Encoding` names; nil for none.
    init?(header: String) throws(UnknownContentCoding) {
        let names = header.parts(between: UInt8(ascii: ","))
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

/// An unsupported coding, or several nested ones.
struct UnknownContentCoding: Error, Hashable, Sendable {}

/// Whether a response may be compressed, according to `Accept-Encoding` (RFC 9110 §12.5.3).
enum AcceptedEncoding {
    /// Whether gzip is allowed and at least as acceptable as no encoding.
    static func prefersGzip(_ header: String) -> Bool {
        var weights: [String: Double] = [:]
        for part in header.parts(between: UInt8(ascii: ",")) {
            let pieces = part.parts(between: UInt8(ascii: ";"))
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let name = pieces.first, !name.isEmpty else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = weight(pieces.dropFirst())
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// `q=0.5`; 1 if absent, 0 if invalid.
    private static func weight(_ parameters: ArraySlice<String>) -> Double {
        guard let text = parameters.first(where: { $0.utf8.starts(with: "q=".utf8) }) else { return 1 }
        let digits = String(Substring(text.utf8.dropFirst(2)))
        guard let number = DecimalText.number(digits), (0...1).contains(number) else { return 0 }
        return number
    }
}

extension StringProtocol {
    /// The parts between separators, without empty ones. By bytes: a separator counts whatever mark follows it.
    fileprivate func parts(between separator: UInt8) -> [Substring] {
        String(self).utf8.split(separator: separator).map { Substring($0) }
    }
}
