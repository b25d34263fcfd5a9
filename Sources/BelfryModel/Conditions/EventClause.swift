/// How often a person did something: "purchase at least 2 times within 30 days" (CAMP-3).
public struct EventClause: Hashable, Sendable {
    public var name: String
    public var count: EventCount
    /// The period before now; nil: as long as events are kept.
    public var within: ISODuration?
    /// A condition on the attributes of the counted events.
    public var filter: Condition?

    public init(
        name: String, count: EventCount = .atLeastOnce, within: ISODuration? = nil, filter: Condition? = nil
    ) {
        self.name = name
        self.count = count
        self.within = within
        self.filter = filter
    }

    /// The name in the form of an event's name: trimmed.
    public var eventName: String { (try? EventName(name))?.rawValue ?? name }
}

/// A comparison of the number of events: `{"op":">=","value":2}`.
public struct EventCount: Hashable, Sendable, Codable {
    public enum Operator: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    public static let atLeastOnce = EventCount(.greaterOrEqual, 1)

    public var op: Operator
    public var value: Int

    public init(_ op: Operator, _ value: Int) {
        self.op = op
        self.value = value
    }

    /// The number of events that decides the comparison: more need not be counted.
    public var enough: Int { value == .max ? value : value + 1 }

    private enum Key: String, CodingKey {
        case op, value
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let raw = try container.decode(String.self, forKey: .op)
        guard let op = Operator(rawValue: raw) else {
            throw DecodingError.dataCorruptedError(
                forKey: .op, in: container,
                debugDescription: "unknown operator '\(raw.prefix(16))'; a count has: == != < <= > >="
            )
        }
        self.init(op, try container.decode(Int.self, forKey: .value))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(op.rawValue, forKey: .op)
        try container.encode(value, forKey: .value)
    }
}
