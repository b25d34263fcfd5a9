extension OpenAPI {
    /// A JSON Schema, of the part of it that this description uses.
    struct Schema: Hashable, Sendable {
        private var keywords: [String: JSONTree]

        private init(_ keywords: [String: JSONTree?]) {
            self.keywords = keywords.compactMapValues(\.self)
        }

        var tree: JSONTree { .object(keywords) }

        /// The same schema, with words for people.
        func described(_ description: String) -> Schema {
            var schema = self
            schema.keywords["description"] = .string(description)
            return schema
        }
    }
}

extension OpenAPI.Schema {
    /// A schema that has a name of its own.
    static func reference(_ name: String) -> Self {
        Self(["$ref": .string("#/components/schemas/\(name)")])
    }

    /// - Parameters:
    ///   - length: in characters.
    ///   - example: a text that fits; whoever gives a pattern gives one.
    static func string(
        _ length: ClosedRange<Int>? = nil, format: String? = nil, pattern: String? = nil, example: String? = nil
    ) -> Self {
        Self([
            "type": .string("string"),
            "minLength": least(length),
            "maxLength": most(length),
            "format": format.map { JSONTree.string($0) },
            "pattern": pattern.map { JSONTree.string($0) },
            "examples": example.map { JSONTree.strings([$0]) },
        ])
    }

    /// One of these words.
    static func word(_ words: [String]) -> Self {
        Self(["type": .string("string"), "enum": .strings(words)])
    }

    static func integer(_ range: ClosedRange<Int64>? = nil) -> Self {
        Self([
            "type": .string("integer"),
            "minimum": range.map { JSONTree.integer($0.lowerBound) },
            "maximum": range.map { JSONTree.integer($0.upperBound) },
        ])
    }

    /// Zero or more.
    static let count = Self(["type": .string("integer"), "minimum": .integer(0)])

    /// One of these numbers.
    static func number(_ numbers: [Int]) -> Self {
        Self(["type": .string("integer"), "enum": .list(numbers.map { JSONTree.integer($0) })])
    }

    static let boolean = Self(["type": .string("boolean")])

    /// True and nothing else.
    static let yes = Self(["type": .string("boolean"), "const": .boolean(true)])

    /// A value of one of these types: `string`, `number`, `boolean`.
    static func value(_ types: [String]) -> Self {
        Self(["type": .strings(types)])
    }

    static func list(of element: Self, _ count: ClosedRange<Int>? = nil) -> Self {
        Self([
            "type": .string("array"), "items": element.tree, "minItems": least(count), "maxItems": most(count),
        ])
    }

    /// An object whose keys are the app's own.
    static func map(of value: Self) -> Self {
        Self(["type": .string("object"), "additionalProperties": value.tree])
    }

    /// Any object at all.
    static let anyObject = Self(["type": .string("object"), "additionalProperties": .boolean(true)])

    /// - Parameter isClosed: whether other keys are refused.
    static func object(_ required: [String: Self], optional: [String: Self] = [:], isClosed: Bool = false) -> Self {
        let properties = required.merging(optional) { first, _ in first }
        return Self([
            "type": .string("object"),
            "properties": .object(properties.mapValues(\.tree)),
            "required": required.isEmpty ? nil : .strings(required.keys.sorted()),
            "additionalProperties": isClosed ? .boolean(false) : nil,
        ])
    }

    /// A setting that null brings back to its default.
    static func resettable(_ schema: Self) -> Self {
        one(of: [schema, Self(["type": .string("null")])])
    }

    /// Exactly one of these.
    static func one(of schemas: [Self]) -> Self {
        Self(["oneOf": .list(schemas.map(\.tree))])
    }

    /// A lower bound of zero says nothing.
    private static func least(_ range: ClosedRange<Int>?) -> JSONTree? {
        guard let range, range.lowerBound > 0 else { return nil }
        return .integer(range.lowerBound)
    }

    private static func most(_ range: ClosedRange<Int>?) -> JSONTree? {
        range.map { JSONTree.integer($0.upperBound) }
    }
}
