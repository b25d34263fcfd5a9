import BelfryModel
import Foundation

/// Writes JSON as bytes, for the few bodies for which an encoder is too slow (events on the device).
///
/// It does not know the structure: the caller writes brackets and separators.
public struct JSONWriter: Sendable {
    /// The JSON written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes to reserve.
    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Text that is already JSON.
    public mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Text that is already JSON, copied at once: a generic function of another module copies byte by byte.
    public mutating func raw(_ json: String) {
        var json = json
        json.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Bytes that are already JSON, copied at once.
    public mutating func raw(_ json: [UInt8]) {
        bytes.append(contentsOf: json)
    }

    /// Bytes that are already JSON.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        bytes.append(contentsOf: json)
    }

    /// `"key":`
    public mutating func key(_ key: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        literal(key)
        literal("\":")
    }

    /// A string in quotes, escaped by RFC 8259 §7.
    public mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A number. JSON has no infinity and no NaN: refuse them before, because here they become 0.
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

    /// A date in quotes, in the format of ``BelfryModel/Timestamp/text(_:)``.
    public mutating func timestamp(_ date: Date) {
        string(Timestamp.text(date))
    }

    /// An attribute value, in the format of ``BelfryModel/AttributeValue``.
    public mutating func value(_ value: AttributeValue) {
        switch value {
        case .string(let text): string(text)
        case .number(let number): self.number(number)
        case .boolean(let flag): boolean(flag)
        case .date(let date): timestamp(date)
        }
    }

    /// Attributes as an object, in the order of their keys: equal ones are equal texts.
    public mutating func attributes(_ attributes: [String: AttributeValue]) {
        literal("{")
        for (index, (key, value)) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { literal(",") }
            string(key)
            literal(":")
            self.value(value)
        }
        literal("}")
    }

    /// Copies runs without escapes at once, which is nearly all of nearly every text.
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
            let (high, low) = byte.hexDigits(uppercase: false)
            bytes.append(high)
            bytes.append(low)
        }
    }
}
