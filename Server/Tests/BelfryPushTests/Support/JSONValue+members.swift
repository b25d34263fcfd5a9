import BelfryTestSupport

extension JSONValue {
    /// `null` if there is no such key.
    subscript(key: String) -> JSONValue {
        guard case .object(let values) = self else { return .null }
        return values[key] ?? .null
    }

    var keys: [String] {
        guard case .object(let values) = self else { return [] }
        return Array(values.keys)
    }

    /// Empty for anything but a string.
    var text: String {
        guard case .string(let text) = self else { return "" }
        return text
    }
}
