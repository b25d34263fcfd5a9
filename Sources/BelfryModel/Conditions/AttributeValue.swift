import Foundation

/// A value of a contact's or an event's attribute.
///
/// On the wire a date is an ISO 8601 string, so a decoded value is never a ``date(_:)``; the app's schema
/// (``AttributeType``) says which strings are dates.
public enum AttributeValue: Hashable, Sendable {
    case string(String)
    case number(Double)
    case boolean(Bool)
    case date(Date)

    /// A blank value clears the attribute on the server (REG-10).
    public var isBlank: Bool {
        guard case .string(let text) = self else { return false }
        return text.showsNothing
    }

    /// The value as it is after encoding and decoding: a date becomes its text.
    public var asWritten: AttributeValue {
        guard case .date(let date) = self else { return self }
        return .string(Timestamp.text(date))
    }

    /// The value without leading and trailing white space.
    public var trimmed: AttributeValue {
        guard case .string(let text) = self else { return self }
        return .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

extension AttributeValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? container.decode(Double.self), number.isFinite {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "an attribute value is a string, a number, a boolean or a date"
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let text): try container.encode(text)
        case .number(let number):
            // JSON has one kind of number. Whole numbers are written without a fraction, as people type them.
            if let whole = Int64(exactly: number) { try container.encode(whole) } else { try container.encode(number) }
        case .boolean(let flag): try container.encode(flag)
        case .date(let date): try container.encode(Timestamp.text(date))
        }
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension AttributeValue {
    /// The value as a number, if it is a number or a text that contains one.
    public var numberRead: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): DecimalText.number(text)
        case .boolean, .date: nil
        }
    }

    /// The text for comparisons with values that are not numbers.
    public var textRead: String {
        switch self {
        case .string(let text): text
        case .number(let number): Int64(exactly: number).map(String.init) ?? String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let date): Timestamp.text(date)
        }
    }
}
