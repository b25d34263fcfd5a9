import Foundation

/// Any JSON, as scenarios and requests have it.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// A text that is a whole number counts as one.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): Int64(text).map(Double.init)
        default: nil
        }
    }

    var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    var array: [JSONValue]? {
        guard case .array(let array) = self else { return nil }
        return array
    }

    var object: [String: JSONValue]? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The value of a key; nil if this is no object, or has none.
    subscript(key: String) -> JSONValue? { object?[key] }

    /// Whether a null is in it, at any depth.
    var holdsNull: Bool {
        switch self {
        case .null: true
        case .bool, .number, .text: false
        case .array(let elements): elements.contains(where: \.holdsNull)
        case .object(let object): object.values.contains(where: \.holdsNull)
        }
    }

    init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number):
            // A revision is written as a whole number.
            if let whole = Int64(exactly: number) {
                try container.encode(whole)
            } else {
                try container.encode(number)
            }
        case .text(let text): try container.encode(text)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}
