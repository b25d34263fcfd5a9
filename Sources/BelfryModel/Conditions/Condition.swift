/// Who belongs to an audience, or what lets an in-app message show: a predicate over devices, contacts and what they
/// did (CAMP-3). One tree; the server compiles it to SQL, the device evaluates it in memory.
///
/// It is named so because `Predicate` is a type of Foundation.
public indirect enum Condition: Hashable, Sendable {
    case everyone
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// Of the contact; inside an event clause's `where` of the event.
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

/// `== "Paris"`, `in ["a", "b"]`, `exists`.
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

/// The device properties that an audience may ask for.
public enum DeviceProperty: String, Hashable, Sendable, Codable, CaseIterable {
    case platform
    case osVersion
    case appVersion
    case sdkVersion
    case deviceModel
    case locale
    case timeZone
}

/// The parts of a party identifier that an audience may ask for: `{"party":"number","op":"==","value":"a@example.com"}`.
public enum PartyPart: String, Hashable, Sendable, Codable, CaseIterable {
    case type
    case name
    case number

    /// The part of an identifier.
    public func value(of party: PartyIdentifier) -> String {
        switch self {
        case .type: party.type
        case .name: party.name
        case .number: party.number
        }
    }
}

/// What an audience may ask of a device that is no text. It stands beside the properties in JSON:
/// `{"device":"pushOptIn","op":"==","value":true}`.
public enum DeviceFact: String, Hashable, Sendable, CaseIterable {
    /// Whether a push may be sent to it: nobody has said no, and there is a token.
    case pushOptIn
    /// When its app was last opened.
    case lastOpenedAt
}

/// What bounds a predicate, so that no request makes an endless query. Nodes and list entries are counted over the
/// whole of it.
public enum ConditionLimits {
    public static let maximumDepth = 16
    public static let maximumNodes = 256
    public static let maximumListLength = 10_000
    /// Event clauses: each looks at the events of every person that the rest leaves.
    public static let maximumEventClauses = 10
    /// The highest count that an event clause compares with.
    public static let maximumEventCount = 10_000
}
