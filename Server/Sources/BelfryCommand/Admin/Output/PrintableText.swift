import BelfryModel
import Foundation

extension StringProtocol {
    /// The text as a terminal may show it: what devices and people wrote must not steer the operator's.
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

    /// JSON as a terminal may show it: what would steer it is written as an escape, which says the same to programs. Only
    /// texts within it have such characters.
    var printableJSON: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return String(self) }
        return unicodeScalars.reduce(into: "") { json, scalar in
            if scalar.steersTerminals {
                // None of them is beyond four digits.
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// Several lines as a terminal may show them: they keep their breaks, and steer nothing whatever stands in them.
    var printableLines: String {
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in Substring(line).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    /// Control characters, breaks of lines, and marks that turn the direction of what follows.
    fileprivate var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

/// JSON that comes in pieces, as a terminal may show it: a piece may end within a character.
struct PrintableJSONPieces {
    /// The bytes of a character that the last piece has begun.
    private var begun: [UInt8] = []

    mutating func take(_ piece: Data) -> Data {
        var bytes = begun
        bytes.append(contentsOf: piece)
        let whole = bytes.count - Self.cutOff(bytes)
        begun = Array(bytes[whole...])
        return Data(String(decoding: bytes[..<whole], as: UTF8.self).printableJSON.utf8)
    }

    /// What is left when no further piece comes.
    mutating func end() -> Data {
        defer { begun = [] }
        return Data(String(decoding: begun, as: UTF8.self).utf8)
    }

    /// How many bytes at the end are the beginning of a character (RFC 3629): its first byte says how many it has.
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
    /// For people: what was written, without quotes.
    var text: String {
        switch self {
        case .string(let text): text
        // Whole numbers without a fraction, as people type them.
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let date): Timestamp.text(date)
        }
    }
}

extension [String: AttributeValue] {
    /// By name: `price=9.5, sku=42`.
    var text: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
}

extension Bool {
    var yesOrNo: String { self ? "yes" : "no" }
}

/// How many there are, in words: "1 device", "2 devices".
enum Quantity {
    static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
