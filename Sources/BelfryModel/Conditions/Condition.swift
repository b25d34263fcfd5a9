/// A predicate over devices, contacts and events: the members of an audience, or the condition of an in-app message's
/// trigger (CAMP-3). Both use the same tree; the server compiles it to SQL, the device evaluates it in memory.
///
/// It is not named `Predicate`, because Foundation has a type of that name.
public indirect enum Condition: Hashable, Sendable {
    case everyone
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// An attribute of the contact; inside an event clause's `where`, an attribute of the event.
    case attribute(String, Comparison)
    case device(DeviceProperty, Comparison)
    case deviceFact(DeviceFact, Comparison)
    case tag(String)
    case contactKeys([String])
    case deviceIDs([String])
    /// Known contacts, or anonymous ones.
    case known(Bool)
    /// A part of the contact's party identifier (ID-9).
    case party(PartyPart, Comparison)
    case event(EventClause)
}

/// A comparison with a value: `== "Paris"`, `in ["a", "b"]`, `exists`.
public enum Comparison: Hashable, Sendable {
    case equal(AttributeValue)
    case notEqual(AttributeValue)
    case less(AttributeValue)
    case lessOrEqual(AttributeValue)
    case greater(AttributeValue)
    case greaterOrEqual(AttributeValue)
    case isIn([AttributeValue])
    case contains(String)
    case startsWith(String)
    case exists(Bool)
}

/// The device properties that a condition can compare.
public enum DeviceProperty: String, Hashable, Sendable, Codable, CaseIterable {
    case platform
    case osVersion
    case appVersion
    case sdkVersion
    case deviceModel
    case locale
    case timeZone
}

/// The parts of a party identifier that a condition can compare:
/// `{"party":"number","op":"==","value":"a@example.com"}`.
public enum PartyPart: String, Hashable, Sendable, Codable, CaseIterable {
    case type
    case name
    case number

    /// This part of an identifier.
    public func value(of party: PartyIdentifier) -> String {
        switch self {
        case .type: party.type
        case .name: party.name
        case .number: party.number
        }
    }
}

/// A device's facts that are not texts. In JSON they are used like the properties:
/// `{"device":"pushOptIn","op":"==","value":true}`.
public enum DeviceFact: String, Hashable, Sendable, CaseIterable {
    /// Whether a push may be sent to the device: it is not opted out and has a push token.
    case pushOptIn
    /// When the app was last opened.
    case lastOpenedAt
}

/// The limits of a predicate, so that no request makes an endless query. Nodes and list entries are counted over the
/// whole predicate.
public enum ConditionLimits {
    public static let maximumDepth = 16
    public static let maximumNodes = 256
    public static let maximumListLength = 10_000
    /// The maximum number of event clauses: each examines the events of every person who meets the rest of the
    /// predicate.
    public static let maximumEventClauses = 10
    /// The maximum count in an event clause.
    public static let maximumEventCount = 10_000
}
