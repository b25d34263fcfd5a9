import Mustache

/// Escapes values in a page byte by byte. The Mustache library compares characters instead, and misses a quote or an
/// angle bracket with a combining mark (SEC-7).
struct HTMLEscaping: MustacheContentType {
    static let name = "BELFRY"
    /// The first line of each template, which makes it escape its values with this type.
    static let pragma = "{{% CONTENT_TYPE:\(name)}}"

    func escapeText(_ text: String) -> String {
        Self.escaped(text)
    }

    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { Self.entity(of: $0) != nil }) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let entity = entity(of: byte) {
                bytes.append(contentsOf: entity.utf8)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func entity(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        // HTML does not allow the null character. Browsers show the replacement character instead.
        case 0: "&#65533;"
        default: nil
        }
    }
}
