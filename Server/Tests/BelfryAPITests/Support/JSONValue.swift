import BelfryWire
import Foundation

/// JSON of any shape, null included.
indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The JSON text, keys sorted.
    var text: String {
        switch self {
        case .null: return "null"
        case .boolean(let flag): return flag ? "true" : "false"
        case .number(let number): return Int64(exactly: number).map { String($0) } ?? String(number)
        case .string(let text): return Self.quoted(text)
        case .list(let elements): return "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            let parts = members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.text }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    init(_ text: String) throws {
        try self.init(parsing: text.utf8)
    }

    /// The JSON that a wire type encodes itself as.
    init(encoding value: some Encodable) throws {
        try self.init(parsing: try JSONEncoder().encode(value))
    }

    /// The type's name in a schema.
    var type: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .list: "array"
        case .object: "object"
        }
    }

    /// Empty if it is not an object.
    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    /// Empty if it is not a list.
    var elements: [JSONValue] {
        if case .list(let elements) = self { elements } else { [] }
    }

    var optionalString: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var optionalNumber: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// A member of an object; setting nil removes it.
    subscript(key: String) -> JSONValue? {
        get { members[key] }
        set {
            var changed = members
            changed[key] = newValue
            self = .object(changed)
        }
    }

    /// The value with another in the place of a member that may lie deep inside; nil removes it.
    func replacing(_ path: [String], with value: JSONValue?) -> JSONValue? {
        guard let first = path.first else { return value }
        var changed = self
        changed[first] = (self[first] ?? .object([:])).replacing(Array(path.dropFirst()), with: value)
        return changed
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The most frequent kinds first: each attempt that fails costs an error.
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .list(elements)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .boolean(try container.decode(Bool.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
