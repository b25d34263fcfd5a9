import BelfryTestSupport
import BelfryWire

extension JSONValue {
    /// The JSON text, keys sorted.
    var text: String {
        switch self {
        case .null: return "null"
        case .boolean(let flag): return flag ? "true" : "false"
        case .number(let number): return Int64(exactly: number).map { String($0) } ?? String(number)
        case .string(let text): return Self.quoted(text)
        case .array(let elements): return "[" + elements.map(\.text).joined(separator: ",") + "]"
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
    init(json text: String) throws {
        try self.init(parsing: text.utf8)
    }

    /// The type's name in a schema.
    var type: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Empty if it is not an object.
    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    /// Empty if it is not a list.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
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
