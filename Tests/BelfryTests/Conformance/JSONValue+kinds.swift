import BelfryTestSupport

extension JSONValue {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A text that is a whole number counts as one.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): Int64(text).map(Double.init)
        default: nil
        }
    }

    var bool: Bool? {
        guard case .boolean(let bool) = self else { return nil }
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
        case .boolean, .number, .string: false
        case .array(let elements): elements.contains(where: \.holdsNull)
        case .object(let object): object.values.contains(where: \.holdsNull)
        }
    }

    init(_ text: String?) {
        self = text.map { .string($0) } ?? .null
    }
}
