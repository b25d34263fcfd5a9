/// What a call says of one setting.
public enum SettingChange<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Absent: it stays as it is.
    case keep
    /// Null: back to its default.
    case reset
    case set(Value)

    public func apply(to setting: inout Value?) {
        switch self {
        case .keep: break
        case .reset: setting = nil
        case .set(let value): setting = value
        }
    }
}

/// `PUT …/settings` (ADM-2): each setting that it names is replaced whole, the others stay.
public struct AppSettingsChange: Hashable, Sendable {
    public var anonymousContacts: SettingChange<Bool> = .keep
    public var identity: SettingChange<IdentityMode> = .keep
    public var openID: SettingChange<OpenIDSettings> = .keep
    /// A number names the same field as its digits do.
    public var contactFields: SettingChange<[ContactFieldID]> = .keep
    public var maxBadgeCount: SettingChange<Int> = .keep
    public var allowedOrigins: SettingChange<[String]> = .keep
    public var timeZone: SettingChange<String> = .keep
    public var eventRetentionDays: SettingChange<Int> = .keep
    public var inAppScripts: SettingChange<Bool> = .keep

    public init() {}

    /// The settings that it names, in order.
    public var names: [String] {
        let named: [(CodingKeys, Bool)] = [
            (.allowedOrigins, allowedOrigins != .keep), (.anonymousContacts, anonymousContacts != .keep),
            (.contactFields, contactFields != .keep), (.eventRetentionDays, eventRetentionDays != .keep),
            (.identity, identity != .keep), (.inAppScripts, inAppScripts != .keep),
            (.maxBadgeCount, maxBadgeCount != .keep), (.openID, openID != .keep), (.timeZone, timeZone != .keep),
        ]
        return named.filter { $0.1 }.map { $0.0.rawValue }
    }

    private enum CodingKeys: String, CodingKey {
        case anonymousContacts, identity, openID, contactFields, maxBadgeCount, allowedOrigins, timeZone
        case eventRetentionDays, inAppScripts
    }
}

extension AppSettingsChange: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func change<Value: Decodable & Hashable & Sendable>(_ key: CodingKeys) throws -> SettingChange<Value> {
            guard container.contains(key) else { return .keep }
            guard let value = try container.decodeIfPresent(Value.self, forKey: key) else { return .reset }
            return .set(value)
        }
        anonymousContacts = try change(.anonymousContacts)
        identity = try change(.identity)
        openID = try change(.openID)
        contactFields = try change(.contactFields)
        maxBadgeCount = try change(.maxBadgeCount)
        allowedOrigins = try change(.allowedOrigins)
        timeZone = try change(.timeZone)
        eventRetentionDays = try change(.eventRetentionDays)
        inAppScripts = try change(.inAppScripts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func write<Value: Encodable & Hashable & Sendable>(_ change: SettingChange<Value>, _ key: CodingKeys) throws {
            switch change {
            case .keep: break
            case .reset: try container.encodeNil(forKey: key)
            case .set(let value): try container.encode(value, forKey: key)
            }
        }
        try write(anonymousContacts, .anonymousContacts)
        try write(identity, .identity)
        try write(openID, .openID)
        try write(contactFields, .contactFields)
        try write(maxBadgeCount, .maxBadgeCount)
        try write(allowedOrigins, .allowedOrigins)
        try write(timeZone, .timeZone)
        try write(eventRetentionDays, .eventRetentionDays)
        try write(inAppScripts, .inAppScripts)
    }
}
