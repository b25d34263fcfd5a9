/// A JSON Schema, with the keywords that this description uses.
struct JSONSchema: Sendable {
    private var keywords: [String: JSONTree]
    /// If the alternatives are objects: the keys that tell them apart.
    private(set) var kinds: Set<String> = []
    /// The types that the schema refers to.
    private(set) var uses: [any Described.Type] = []

    private init(_ keywords: [String: JSONTree?], uses: [any Described.Type] = []) {
        self.keywords = keywords.compactMapValues(\.self)
        self.uses = uses
    }

    var tree: JSONTree { .object(keywords) }

    /// The same schema with a description for people.
    func described(_ description: String) -> JSONSchema {
        var schema = self
        schema.keywords["description"] = .string(description)
        return schema
    }

    /// The same schema for a request that repeats a response: the value is accepted and ignored.
    var ignored: JSONSchema {
        var schema = described("As in the response; ignored in a request.")
        schema.keywords["readOnly"] = .boolean(true)
        return schema
    }

    private init?(_ tree: JSONTree?) {
        guard case .object(let keywords)? = tree else { return nil }
        self.keywords = keywords
    }

    /// The name of the schema that this one refers to; nil when this is not a reference.
    var reference: String? {
        guard case .string(let address)? = keywords["$ref"] else { return nil }
        return String(address.dropFirst(Self.place.utf8.count))
    }

    /// The schemas of an object's keys; nil when it names none.
    var properties: [String: JSONSchema]? {
        guard case .object(let members)? = keywords["properties"] else { return nil }
        return members.compactMapValues { JSONSchema($0) }
    }

    /// Whether unnamed keys are rejected.
    var isClosed: Bool { keywords["additionalProperties"] == .boolean(false) }
    /// The schema of unnamed keys; nil when there is none.
    var values: JSONSchema? { JSONSchema(keywords["additionalProperties"]) }
    /// The schema of a list's elements.
    var elements: JSONSchema? { JSONSchema(keywords["items"]) }

    var required: Set<String> {
        guard case .list(let keys)? = keywords["required"] else { return [] }
        return keys.reduce(into: []) { all, key in
            if case .string(let key) = key { all.insert(key) }
        }
    }

    /// The alternatives, one of which applies; the schema itself when it has none.
    var alternatives: [JSONSchema] {
        guard case .list(let alternatives)? = keywords["oneOf"] else { return [self] }
        return alternatives.compactMap { JSONSchema($0) }
    }

    /// Whether null is permitted beside other values, as for a setting that null resets.
    var takesNull: Bool { alternatives.contains { $0.keywords == Self.null.keywords } }

    fileprivate static let place = "#/components/schemas/"
    fileprivate static let null = JSONSchema(["type": .string("null")])
}

extension JSONSchema {
    /// A reference to the schema of a type, by its name.
    static func of(_ type: any Described.Type) -> Self {
        Self(["$ref": .string(place + type.schemaName)], uses: [type])
    }

    /// A string.
    ///
    /// - Parameters:
    ///   - length: in characters.
    ///   - example: a valid text; required with a pattern.
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

    /// One of a type's words.
    static func cases<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> Self {
        word(type.allCases.map(\.rawValue))
    }

    static func integer(_ range: ClosedRange<some FixedWidthInteger>) -> Self {
        Self([
            "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ])
    }

    static func integer() -> Self {
        Self(["type": .string("integer")])
    }

    /// A whole number, zero or more.
    static let count = Self(["type": .string("integer"), "minimum": .integer(0)])

    static func number(_ range: ClosedRange<Double>) -> Self {
        Self(["type": .string("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)])
    }

    /// One of these numbers.
    static func number(_ numbers: [Int]) -> Self {
        Self(["type": .string("integer"), "enum": .list(numbers.map { JSONTree.integer($0) })])
    }

    static let boolean = Self(["type": .string("boolean")])

    /// The value true only.
    static let yes = Self(["type": .string("boolean"), "const": .boolean(true)])

    /// A value of one of these types: `string`, `number`, `boolean`.
    static func value(_ types: [String]) -> Self {
        Self(["type": .strings(types)])
    }

    static func list(of element: Self, _ count: ClosedRange<Int>? = nil) -> Self {
        let keywords: [String: JSONTree?] = [
            "type": .string("array"), "items": element.tree, "minItems": least(count), "maxItems": most(count),
        ]
        return Self(keywords, uses: element.uses)
    }

    /// An object whose keys the app chooses.
    static func map(of value: Self) -> Self {
        Self(["type": .string("object"), "additionalProperties": value.tree], uses: value.uses)
    }

    /// Any object at all.
    static let anyObject = Self(["type": .string("object"), "additionalProperties": .boolean(true)])

    /// An object with these keys.
    ///
    /// - Parameter isClosed: whether other keys are rejected.
    static func object(_ required: [String: Self], optional: [String: Self] = [:], isClosed: Bool = false) -> Self {
        let properties = required.merging(optional) { first, _ in first }
        let keywords: [String: JSONTree?] = [
            "type": .string("object"),
            "properties": .object(properties.mapValues(\.tree)),
            "required": required.isEmpty ? nil : .strings(required.keys.sorted()),
            "additionalProperties": isClosed ? .boolean(false) : nil,
        ]
        return Self(keywords, uses: properties.values.flatMap(\.uses))
    }

    /// A setting that null resets to its default.
    static func resettable(_ schema: Self) -> Self {
        one(of: [schema, null])
    }

    /// Exactly one of these schemas.
    ///
    /// - Parameter kinds: for objects, the keys that tell the alternatives apart; all other keys belong to some of
    ///   them.
    static func one(of schemas: [Self], discriminatedBy kinds: Set<String> = []) -> Self {
        var schema = Self(["oneOf": .list(schemas.map(\.tree))], uses: schemas.flatMap(\.uses))
        schema.kinds = kinds
        return schema
    }

    /// The lower bound; nil for zero, which is the default.
    private static func least(_ range: ClosedRange<Int>?) -> JSONTree? {
        guard let range, range.lowerBound > 0 else { return nil }
        return .integer(range.lowerBound)
    }

    private static func most(_ range: ClosedRange<Int>?) -> JSONTree? {
        range.map { JSONTree.integer($0.upperBound) }
    }
}
