extension Condition: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case everyone, all, any, not, attribute, device, tag, contactKeys, deviceIds, known, event, party
        case op, value, count, within
        case filter = "where"

        static let leading: [Key] = [
            .everyone, .all, .any, .not, .attribute, .device, .tag, .contactKeys, .deviceIds, .known, .event, .party,
        ]
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let present = Key.leading.filter { container.contains($0) }
        guard let key = present.first, present.count == 1 else {
            let names = Key.leading.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a predicate has exactly one of: \(names)")
            )
        }
        guard decoder.codingPath.count <= 2 * ConditionLimits.maximumDepth + 2 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a predicate is at most \(ConditionLimits.maximumDepth) levels deep"
                )
            )
        }
        self = try Self.decode(key, from: container)
    }

    private static func decode(_ key: Key, from container: KeyedDecodingContainer<Key>) throws -> Condition {
        switch key {
        case .everyone:
            guard try container.decode(Bool.self, forKey: .everyone) else {
                throw decodingError(
                    .everyone, in: container, "'everyone' is true or absent; for nobody use {\"not\": …}"
                )
            }
            return .everyone
        case .all: return .all(try parts(.all, in: container))
        case .any: return .any(try parts(.any, in: container))
        case .not: return .not(try container.decode(Condition.self, forKey: .not))
        case .attribute:
            return .attribute(try container.decode(String.self, forKey: .attribute), try comparison(in: container))
        case .device:
            return try device(in: container)
        case .tag: return .tag(try container.decode(String.self, forKey: .tag))
        case .contactKeys: return .contactKeys(try list(.contactKeys, of: String.self, in: container))
        case .deviceIds: return .deviceIDs(try list(.deviceIds, of: String.self, in: container))
        case .party: return .party(try partyPart(in: container), try comparison(in: container))
        case .known: return .known(try container.decode(Bool.self, forKey: .known))
        case .event: return .event(try event(in: container))
        case .op, .value:
            throw decodingError(key, in: container, "'\(key.rawValue)' needs 'attribute', 'device' or 'party'")
        case .count, .within, .filter: throw decodingError(key, in: container, "'\(key.rawValue)' needs 'event'")
        }
    }

    private static func device(in container: KeyedDecodingContainer<Key>) throws -> Condition {
        let name = try container.decode(String.self, forKey: .device)
        if let property = DeviceProperty(rawValue: name) { return .device(property, try comparison(in: container)) }
        if let state = DeviceFact(rawValue: name) { return .deviceFact(state, try comparison(in: container)) }
        let names = DeviceProperty.allCases.map(\.rawValue) + DeviceFact.allCases.map(\.rawValue)
        throw decodingError(.device, in: container, "expected one of \(names.joined(separator: ", "))")
    }

    private static func partyPart(in container: KeyedDecodingContainer<Key>) throws -> PartyPart {
        if let part = PartyPart(rawValue: try container.decode(String.self, forKey: .party)) { return part }
        let names = PartyPart.allCases.map(\.rawValue).joined(separator: ", ")
        throw decodingError(.party, in: container, "expected one of \(names)")
    }

    private static func event(in container: KeyedDecodingContainer<Key>) throws -> EventClause {
        EventClause(
            name: try container.decode(String.self, forKey: .event),
            count: try container.decodeIfPresent(EventCount.self, forKey: .count) ?? .atLeastOnce,
            within: try container.decodeIfPresent(ISODuration.self, forKey: .within),
            filter: try container.decodeIfPresent(Condition.self, forKey: .filter)
        )
    }

    private static func parts(_ key: Key, in container: KeyedDecodingContainer<Key>) throws -> [Condition] {
        let parts = try container.decode([Condition].self, forKey: key)
        guard !parts.isEmpty, parts.count <= ConditionLimits.maximumNodes else {
            throw decodingError(
                key, in: container, "'\(key.rawValue)' has 1 to \(ConditionLimits.maximumNodes) predicates"
            )
        }
        return parts
    }

    private static func list<Element: Decodable>(
        _ key: Key, of type: Element.Type, in container: KeyedDecodingContainer<Key>
    ) throws -> [Element] {
        let list = try container.decode([Element].self, forKey: key)
        guard list.count <= ConditionLimits.maximumListLength else {
            throw decodingError(key, in: container, "a list has at most \(ConditionLimits.maximumListLength) entries")
        }
        return list
    }

    private static func comparison(in container: KeyedDecodingContainer<Key>) throws -> Comparison {
        let op = try container.decode(String.self, forKey: .op)
        func value() throws -> AttributeValue { try container.decode(AttributeValue.self, forKey: .value) }
        func text() throws -> String { try container.decode(String.self, forKey: .value) }
        switch op {
        case "==": return .equal(try value())
        case "!=": return .notEqual(try value())
        case "<": return .less(try value())
        case "<=": return .lessOrEqual(try value())
        case ">": return .greater(try value())
        case ">=": return .greaterOrEqual(try value())
        case "in": return .isIn(try list(.value, of: AttributeValue.self, in: container))
        case "contains": return .contains(try text())
        case "startsWith": return .startsWith(try text())
        case "exists": return .exists(try container.decodeIfPresent(Bool.self, forKey: .value) ?? true)
        default:
            throw decodingError(
                .op, in: container,
                "unknown operator '\(op)'; allowed: == != < <= > >= in contains startsWith exists"
            )
        }
    }

    private static func decodingError(
        _ key: Key, in container: KeyedDecodingContainer<Key>, _ message: String
    ) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: message)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .everyone: try container.encode(true, forKey: .everyone)
        case .all(let parts): try container.encode(parts, forKey: .all)
        case .any(let parts): try container.encode(parts, forKey: .any)
        case .not(let part): try container.encode(part, forKey: .not)
        case .attribute(let name, let comparison):
            try container.encode(name, forKey: .attribute)
            try Self.encode(comparison, to: &container)
        case .device(let property, let comparison):
            try container.encode(property, forKey: .device)
            try Self.encode(comparison, to: &container)
        case .deviceFact(let state, let comparison):
            try container.encode(state.rawValue, forKey: .device)
            try Self.encode(comparison, to: &container)
        case .tag(let tag): try container.encode(tag, forKey: .tag)
        case .contactKeys(let keys): try container.encode(keys, forKey: .contactKeys)
        case .deviceIDs(let ids): try container.encode(ids, forKey: .deviceIds)
        case .known(let known): try container.encode(known, forKey: .known)
        case .event(let clause): try Self.encode(clause, to: &container)
        case .party(let part, let comparison):
            try container.encode(part, forKey: .party)
            try Self.encode(comparison, to: &container)
        }
    }

    private static func encode(_ clause: EventClause, to container: inout KeyedEncodingContainer<Key>) throws {
        try container.encode(clause.name, forKey: .event)
        if clause.count != .atLeastOnce { try container.encode(clause.count, forKey: .count) }
        try container.encodeIfPresent(clause.within, forKey: .within)
        try container.encodeIfPresent(clause.filter, forKey: .filter)
    }

    private static func encode(_ comparison: Comparison, to container: inout KeyedEncodingContainer<Key>) throws {
        func put(_ op: String, _ value: some Encodable) throws {
            try container.encode(op, forKey: .op)
            try container.encode(value, forKey: .value)
        }
        switch comparison {
        case .equal(let value): try put("==", value)
        case .notEqual(let value): try put("!=", value)
        case .less(let value): try put("<", value)
        case .lessOrEqual(let value): try put("<=", value)
        case .greater(let value): try put(">", value)
        case .greaterOrEqual(let value): try put(">=", value)
        case .isIn(let values): try put("in", values)
        case .contains(let text): try put("contains", text)
        case .startsWith(let text): try put("startsWith", text)
        case .exists(let flag): try put("exists", flag)
        }
    }
}
