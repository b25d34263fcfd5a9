/// The keys that a schema permits, prepared once for all bodies of a type: walking a schema takes far longer than
/// reading a body (SEC-2). Parts refer to each other by index, because a schema may contain itself.
struct KeyTable: Sendable {
    typealias Place = Int

    /// The parts that a value may contain; empty for a scalar.
    struct Node: Sendable {
        /// The schema of a list's elements.
        var elements: Place?
        var keys = Keys()
    }

    /// The schemas of an object: all alternatives that its keys may select.
    struct Keys: Sendable {
        /// All keys that the alternatives name.
        fileprivate var schemas: [String: Place] = [:]
        /// The alternatives if one of these keys is present.
        fileprivate var kinds: [String: Meaning] = [:]
        /// The alternatives if none of them is.
        fileprivate var unsaid = Meaning()
    }

    /// Several alternatives together.
    struct Meaning: Sendable {
        /// The keys that they name.
        fileprivate(set) var names: Set<String> = []
        /// The schema of unnamed keys, from the first alternative that permits any.
        fileprivate var others: (alternative: Int, place: Place)?
        /// Whether null is a value of a key, as for a setting that it resets.
        fileprivate(set) var heedsNull = false
        private var isOpen = false
        private var isEmpty = true

        /// Whether other keys are rejected.
        var isClosed: Bool { !isEmpty && !isOpen }

        fileprivate init() {}

        fileprivate mutating func add(
            names: some Sequence<String>, others: (alternative: Int, place: Place)?, isClosed: Bool
        ) {
            self.names.formUnion(names)
            if self.others == nil { self.others = others }
            if !isClosed { isOpen = true }
            isEmpty = false
        }

        fileprivate mutating func add(_ other: Meaning) {
            names.formUnion(other.names)
            others = [others, other.others].compactMap(\.self).min { $0.alternative < $1.alternative }
            heedsNull = heedsNull || other.heedsNull
            isOpen = isOpen || other.isOpen
            isEmpty = isEmpty && other.isEmpty
        }

        fileprivate mutating func close(over kinds: Set<String>, nullable: Set<String>) {
            names.formUnion(kinds)
            heedsNull = !names.isDisjoint(with: nullable)
        }
    }

    private var nodes: [Node] = []
    /// The index of the root schema.
    private(set) var root: Place = 0

    subscript(place: Place) -> Node { nodes[place] }
}

extension KeyTable.Keys {
    /// The alternatives that an object with these keys may match.
    func meaning(of keys: some Collection<String>) -> KeyTable.Meaning {
        guard !kinds.isEmpty else { return unsaid }
        var meaning: KeyTable.Meaning?
        for key in keys {
            guard let kind = kinds[key] else { continue }
            if meaning == nil { meaning = kind } else { meaning?.add(kind) }
        }
        return meaning ?? unsaid
    }

    /// The index of a key's schema; nil for an unknown key.
    func place(of key: String, in meaning: KeyTable.Meaning) -> KeyTable.Place? {
        (meaning.names.contains(key) ? schemas[key] : nil) ?? meaning.others?.place
    }
}

extension KeyTable {
    init(of type: any Described.Type) {
        var named: [String: JSONSchema] = [:]
        var waiting: [any Described.Type] = [type]
        while let type = waiting.popLast() {
            guard named.updateValue(type.schema, forKey: type.schemaName) == nil else { continue }
            waiting += type.schema.uses
        }
        var places: [String: Place] = [:]
        root = add(.of(type), named, &places)
    }

    private mutating func add(
        _ schema: JSONSchema, _ named: [String: JSONSchema], _ places: inout [String: Place]
    ) -> Place {
        if let name = schema.reference, let place = places[name] { return place }
        let place = nodes.count
        // Its parts may refer to it.
        nodes.append(Node())
        if let name = schema.reference { places[name] = place }
        let schema = schema.reference.flatMap { named[$0] } ?? schema
        let elements = schema.elements.map { add($0, named, &places) }
        nodes[place] = Node(elements: elements, keys: keys(of: schema, named, &places))
        return place
    }

    private mutating func keys(
        of schema: JSONSchema, _ named: [String: JSONSchema], _ places: inout [String: Place]
    ) -> Keys {
        var keys = Keys()
        var nullable: Set<String> = []
        for kind in schema.kinds { keys.kinds[kind] = Meaning() }
        let alternatives = schema.alternatives.map { $0.reference.flatMap { named[$0] } ?? $0 }
        for (index, object) in alternatives.enumerated() where object.properties != nil || object.values != nil {
            let properties = object.properties ?? [:]
            for (key, value) in properties where keys.schemas[key] == nil {
                keys.schemas[key] = add(value, named, &places)
                if value.takesNull { nullable.insert(key) }
            }
            let others = object.values.map { (alternative: index, place: add($0, named, &places)) }
            keys.unsaid.add(names: properties.keys, others: others, isClosed: object.isClosed)
            for kind in schema.kinds where object.required.contains(kind) {
                keys.kinds[kind]?.add(names: properties.keys, others: others, isClosed: object.isClosed)
            }
        }
        let kinds = schema.kinds.intersection(keys.schemas.keys)
        keys.unsaid.close(over: kinds, nullable: nullable)
        for kind in schema.kinds { keys.kinds[kind]?.close(over: kinds, nullable: nullable) }
        return keys
    }
}
