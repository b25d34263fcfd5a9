/// Who belongs to an audience: a predicate over devices and contacts (CAMP-3). One tree; the server compiles it to SQL.
///
/// It is named so because `Predicate` is a type of Foundation.
public indirect enum Condition: Hashable, Sendable {
    case everyone
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case attribute(String, Comparison)
    case device(DeviceProperty, Comparison)
    case tag(String)
    case contactKeys([String])
    case deviceIDs([String])
    /// Known contacts, or anonymous ones.
    case known(Bool)
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

/// What bounds a predicate, so that no request makes an endless query. Nodes and list entries are counted over the
/// whole of it (``Condition/checkLimits()``).
public enum ConditionLimits {
    public static let maximumDepth = 16
    public static let maximumNodes = 256
    public static let maximumListLength = 10_000
}
