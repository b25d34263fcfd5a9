import BelfryModel
import Foundation

/// Writes JSON as bytes, for the few bodies that are too hot for an encoder (events on the device).
///
/// It writes what it is told and knows nothing of nesting: whoever calls it opens, separates and closes.
public struct JSONWriter: Sendable {
    /// What was written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes to reserve.
    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Text that is JSON already.
    public mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Text that is JSON already, at once: a generic function of another module takes it byte by byte.
    public mutating func raw(_ json: String) {
        var json = json
        json.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Bytes that are JSON already, at once.
    public mutating func raw(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    /// Bytes that are JSON already.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        bytes.append(contentsOf: json)
    }

    /// `"key":`
    public mutating func key(_ key: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        literal(key)
        literal("\":")
    }

    /// A string in quotes, escaped as RFC 8259 §7 asks.
    public mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A number. JSON has no infinity and no NaN: refuse them before; here they become 0.
    public mutating func number(_ number: Double) {
        guard number.isFinite else { return literal("0") }
        if let whole = Int64(exactly: number) {
            integer(whole)
        } else {
            bytes.append(contentsOf: number.description.utf8)
        }
    }

    /// A whole number.
    public mutating func integer(_ number: Int64) {
        bytes.append(contentsOf: number.description.utf8)
    }

    /// `true` or `false`
    public mutating func boolean(_ flag: Bool) {
        literal(flag ? "true" : "false")
    }

    /// A date in quotes, as ``BelfryModel/Timestamp/text(_:)`` writes it.
    public mutating func timestamp(_ date: Date) {
        string(Timestamp.text(date))
    }

    /// An attribute value as ``BelfryModel/AttributeValue`` encodes itself.
    public mutating func value(_ value: AttributeValue) {
        switch value {
        case .string(let text): string(text)
        case .number(let number): self.number(number)
        case .boolean(let flag): boolean(flag)
        case .date(let date): timestamp(date)
        }
    }

    /// Copies runs that need no escape in one go: nearly all of nearly every text.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5c {
            bytes.append(contentsOf: text[start..<index])
            escape(byte)
            start = index + 1
        }
        bytes.append(contentsOf: text[start...])
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5c: bytes.append(byte)
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            literal("u00")
            bytes.append(Self.hexadecimal[Int(byte >> 4)])
            bytes.append(Self.hexadecimal[Int(byte & 0x0f)])
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
