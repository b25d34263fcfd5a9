import Foundation

/// A value of JSON: what the client says, reads and keeps.
package enum JSON: Hashable, Sendable {
    case object([String: JSON])
    case list([JSON])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case null

    /// Nil when the bytes are not one whole value.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// A member of an object.
    package subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var items: [JSON]? {
        guard case .list(let items) = self else { return nil }
        return items
    }

    package var string: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    package var numeric: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    package var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// Whether it is, or holds at any depth, an explicit null.
    var holdsNull: Bool {
        switch self {
        case .object(let members): members.values.contains(where: \.holdsNull)
        case .list(let items): items.contains(where: \.holdsNull)
        case .null: true
        default: false
        }
    }

    /// The object with one member changed; anything else stays what it is.
    package func with(_ key: String, _ value: JSON) -> JSON {
        guard case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }
}

extension JSON: Decodable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let items = try? value.decode([JSON].self) {
            self = .list(items)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }

    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(floatLiteral value: Double) { self = .number(value) }

    package init(booleanLiteral value: Bool) { self = .flag(value) }

    package init(arrayLiteral elements: JSON...) { self = .list(elements) }

    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
