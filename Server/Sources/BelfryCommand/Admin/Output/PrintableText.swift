import BelfryModel
import Foundation

extension StringProtocol {
    /// The text made safe for a terminal: what devices and people wrote must not control the operator's terminal.
    var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return String(self) }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminals {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// JSON made safe for a terminal: characters that would control it are written as escapes, which mean the same to
    /// programs. In JSON only strings contain such characters.
    var printableJSON: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return String(self) }
        return unicodeScalars.reduce(into: "") { json, scalar in
            if scalar.steersTerminals {
                // None of these characters needs more than four hexadecimal digits.
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// Several lines made safe for a terminal: line breaks stay, every other control character is escaped.
    var printableLines: String {
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in Substring(line).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal: control characters, line breaks, and marks that change the direction
    /// of the text after them.
    fileprivate var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

/// Makes JSON that arrives in chunks safe for a terminal. A chunk may end inside a character.
struct PrintableJSONPieces {
    /// The first bytes of a character that the last chunk left incomplete.
    private var begun: [UInt8] = []

    mutating func take(_ piece: Data) -> Data {
        var bytes = begun
        bytes.append(contentsOf: piece)
        let whole = bytes.count - Self.cutOff(bytes)
        begun = Array(bytes[whole...])
        return Data(String(decoding: bytes[..<whole], as: UTF8.self).printableJSON.utf8)
    }

    /// The remaining bytes when no further chunk follows.
    mutating func end() -> Data {
        defer { begun = [] }
        return Data(String(decoding: begun, as: UTF8.self).utf8)
    }

    /// The number of bytes at the end that are an incomplete character: its first byte says how many bytes it has (RFC
    /// 3629).
    private static func cutOff(_ bytes: [UInt8]) -> Int {
        for length in 1..<4 where length <= bytes.count {
            switch bytes[bytes.count - length] {
            case 0x80..<0xc0: continue
            case 0xc0..<0xe0: return length < 2 ? length : 0
            case 0xe0..<0xf0: return length < 3 ? length : 0
            case 0xf0...: return length < 4 ? length : 0
            default: return 0
            }
        }
        return 0
    }
}

extension AttributeValue {
    /// The value for people: as it was written, without quotes.
    var text: String {
        switch self {
        case .string(let text): text
        // Whole numbers are shown without a fraction, as people type them.
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let date): Timestamp.text(date)
        }
    }
}

extension [String: AttributeValue] {
    /// The attributes by name, such as `price=9.5, sku=42`.
    var text: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
}

extension Bool {
    var yesOrNo: String { self ? "yes" : "no" }
}

/// Counts in words: "1 device", "2 devices".
enum Quantity {
    static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
