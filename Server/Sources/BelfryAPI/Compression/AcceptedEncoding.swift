import BelfryModel
import Foundation

/// Whether an answer may be compressed, as `Accept-Encoding` says it (RFC 9110 §12.5.3).
enum AcceptedEncoding {
    /// Whether gzip is allowed, and not less welcome than a plain answer.
    static func prefersGzip(_ header: String) -> Bool {
        var weights: [String: Double] = [:]
        for part in header.split(separator: ",") {
            let pieces = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let name = pieces.first, !name.isEmpty else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = weight(pieces.dropFirst())
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// `q=0.5`; 1 when it is not said, 0 when it cannot be read.
    private static func weight(_ parameters: ArraySlice<String>) -> Double {
        guard let text = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
        guard let number = DecimalText.number(String(text.dropFirst(2))), (0...1).contains(number) else { return 0 }
        return number
    }
}
