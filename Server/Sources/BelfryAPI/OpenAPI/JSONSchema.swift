/// A JSON Schema, of the part of it that this description uses.
struct JSONSchema: Sendable {
    private var keywords: [String: JSONTree]
    /// Of alternatives that are objects: the keys of which one says which alternative it is.
    private(set) var kinds: Set<String> = []
    /// The types that it refers to.
    private(set) var uses: [any Described.Type] = []

    private init(_ keywords: [String: JSONTree?], uses: [any Described.Type] = []) {
        self.keywords = keywords.compactMapValues(\.self)
        self.uses = uses
    }

    var tree: JSONTree { .object(keywords) }

    /// The same schema, with words for people.
    func described(_ description: String) -> JSONSchema {
        var schema = self
        schema.keywords["description"] = .string(description)
        return schema
    }

    /// The same in a request that repeats a response: it is taken and changes nothing.
    var ignored: JSONSchema {
        var schema = described("As in the response; ignored in a request.")
        schema.keywords["readOnly"] = .boolean(true)
        return schema
    }

    private init?(_ tree: JSONTree?) {
        guard case .object(let keywords)? = tree else { return nil }
        self.keywords = keywords
    }

    /// The name of the schema that it refers to; nil when it is one itself.
    var reference: String? {
        guard case .string(let address)? = keywords["$ref"] else { return nil }
        return String(address.dropFirst(Self.place.utf8.count))
    }

    /// Those of an object by their keys; nil when it names none.
    var properties: [String: JSONSchema]? {
        guard case .object(let members)? = keywords["properties"] else { return nil }
        return members.compactMapValues { JSONSchema($0) }
    }

    /// Whether keys that it does not name are refused.
    var isClosed: Bool { keywords["additionalProperties"] == .boolean(false) }
    /// Of the keys that it does not name; nil when it says nothing of them.
    var values: JSONSchema? { JSONSchema(keywords["additionalProperties"]) }
    /// Of the elements of a list.
    var elements: JSONSchema? { JSONSchema(keywords["items"]) }

    var required: Set<String> {
        guard case .list(let keys)? = keywords["required"] else { return [] }
        return keys.reduce(into: []) { all, key in
            if case .string(let key) = key { all.insert(key) }
        }
    }

    /// Of which one holds; only itself when there are none.
    var alternatives: [JSONSchema] {
        guard case .list(let alternatives)? = keywords["oneOf"] else { return [self] }
        return alternatives.compactMap { JSONSchema($0) }
    }

    /// Whether null is a value beside others, as of a setting that it resets.
    var takesNull: Bool { alternatives.contains { $0.keywords == Self.null.keywords } }

    fileprivate static let place = "#/components/schemas/"
    fileprivate static let null = JSONSchema(["type": .string("null")])
}

extension JSONSchema {
    /// The schema of a type, by its name.
    static func of(_ type: any Described.Type) -> Self {
        Self(["$ref": .string(place + type.schemaName)], uses: [type])
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

    /// Zero or more.
    static let count = Self(["type": .string("integer"), "minimum": .integer(0)])

    static func number(_ range: ClosedRange<Double>) -> Self {
        Self(["type": .string("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)])
    }

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
        let keywords: [String: JSONTree?] = [
            "type": .string("array"), "items": element.tree, "minItems": least(count), "maxItems": most(count),
        ]
        return Self(keywords, uses: element.uses)
    }

    /// An object whose keys are the app's own.
    static func map(of value: Self) -> Self {
        Self(["type": .string("object"), "additionalProperties": value.tree], uses: value.uses)
    }

    /// Any object at all.
    static let anyObject = Self(["type": .string("object"), "additionalProperties": .boolean(true)])

    /// - Parameter isClosed: whether other keys are refused.
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

    /// A setting that null brings back to its default.
    static func resettable(_ schema: Self) -> Self {
        one(of: [schema, null])
    }

    /// Exactly one of these.
    ///
    /// - Parameter kinds: of objects, the keys of which one says which it is; the others belong to some of them.
    static func one(of schemas: [Self], toldBy kinds: Set<String> = []) -> Self {
        var schema = Self(["oneOf": .list(schemas.map(\.tree))], uses: schemas.flatMap(\.uses))
        schema.kinds = kinds
        return schema
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
