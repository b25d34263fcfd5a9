/// How a recipient's value is escaped in a text, so that it stays a value (CAMP-4, SEC-4).
enum TextEscape: Hashable, Sendable {
    /// Not escaped.
    case plain
    /// `&`, `<`, `>` and both quotes as entities. The null character, which HTML does not allow, becomes U+FFFD.
    case html
    /// All bytes except letters, digits and `-._~` as `%XX` (RFC 3986 §2.3).
    case url

    func append(_ value: String, to text: inout String) {
        guard self != .plain, !value.utf8.allSatisfy(isHarmless) else {
            text += value
            return
        }
        switch self {
        case .plain: text += value
        case .html:
            for scalar in value.unicodeScalars {
                if let entity = Self.entity(of: scalar) { text += entity } else { text.unicodeScalars.append(scalar) }
            }
        case .url:
            for byte in value.utf8 {
                if isHarmless(byte) {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%"
                    text.unicodeScalars.append(Self.hexDigit(byte >> 4))
                    text.unicodeScalars.append(Self.hexDigit(byte & 0xf))
                }
            }
        }
    }

    private func isHarmless(_ byte: UInt8) -> Bool {
        switch self {
        case .plain: true
        case .html: ![0x00, 0x26, 0x3C, 0x3E, 0x22, 0x27].contains(byte)
        case .url:
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                true
            default: false
            }
        }
    }

    private static func entity(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "\0": "\u{FFFD}"
        default: nil
        }
    }

    private static func hexDigit(_ nibble: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10)
    }
}
