import BelfryTestSupport

/// A field of a request as the description has it.
struct SchemaField: Sendable {
    /// Its key, behind those of the objects that it lies in.
    let path: [String]
    let schema: JSONValue
    let isRequired: Bool
    /// The kinds of value that it may have; `integer` is one by itself.
    let types: Set<String>

    /// As a response names it: `push.action.type`.
    var name: String { path.joined(separator: ".") }
    /// Whether any text has the right type.
    var isFreeText: Bool { types.contains("string") && schema["enum"] == nil }

    /// Values of another kind than the field may have, and words and numbers that it may not have.
    var wrongValues: [JSONValue] {
        let kinds: [JSONValue] = [
            .boolean(true), .number(7), .number(1.5), .string("x"), .array([]), .array([.null]), .object([:]),
        ]
        return kinds.filter { !admits($0) } + wrongWords + wrongNumbers
    }

    private func admits(_ value: JSONValue) -> Bool {
        let isWhole = value.optionalNumber.map { $0.rounded() == $0 } ?? false
        return types.contains(value.type) || (isWhole && types.contains("integer"))
    }

    private var wrongWords: [JSONValue] {
        schema["enum"] != nil && types.contains("string") ? [.string("no such word")] : []
    }

    private var wrongNumbers: [JSONValue] {
        let below = schema["minimum"]?.optionalNumber.map { JSONValue.number($0 - 1) }
        let above = schema["maximum"]?.optionalNumber.map { JSONValue.number($0 + 1) }
        return [below, above].compactMap { $0 }
    }
}

extension APIDescription {
    /// Every field of an object, and of the objects in it, but those that a request only repeats of a response.
    func fields(of schema: JSONValue, at path: [String] = []) -> [SchemaField] {
        let schema = settled(schema)
        let required = (schema["required"] ?? .null).elements.compactMap(\.optionalString)
        let own = (schema["properties"] ?? .null).members.filter { $0.value["readOnly"] == nil }
        return own.sorted { $0.key < $1.key }.flatMap { name, part in
            let field = SchemaField(
                path: path + [name], schema: settled(part), isRequired: required.contains(name), types: types(of: part)
            )
            return [field] + fields(of: part, at: field.path)
        }
    }

    /// The schema to which a reference leads; for a nullable setting, its other type.
    private func settled(_ schema: JSONValue) -> JSONValue {
        let schema = resolved(schema)
        let alternatives = (schema["oneOf"] ?? .null).elements
        let others = alternatives.filter { $0["type"] != .string("null") }
        guard alternatives.count == 2, others.count == 1, let other = others.first else { return schema }
        return settled(other)
    }

    private func types(of schema: JSONValue) -> Set<String> {
        let schema = resolved(schema)
        if let alternatives = schema["oneOf"]?.elements {
            return alternatives.reduce(into: []) { $0.formUnion(types(of: $1)) }
        }
        let list = (schema["type"] ?? .null).elements.compactMap(\.optionalString)
        return Set(schema["type"]?.optionalString.map { [$0] } ?? list)
    }
}
