import BelfryModel

/// A call's change of one setting.
package enum SettingChange<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Absent: the setting does not change.
    case keep
    /// Null: the setting gets its default.
    case reset
    case set(Value)

    package func apply(to setting: inout Value?) {
        switch self {
        case .keep: break
        case .reset: setting = nil
        case .set(let value): setting = value
        }
    }
}

/// `PUT …/settings` (ADM-2): replaces each setting that it names; the others do not change.
package struct AppSettingsChange: Hashable, Sendable {
    package var anonymousContacts: SettingChange<Bool> = .keep
    package var identity: SettingChange<IdentityMode> = .keep
    package var openID: SettingChange<OpenIDSettings> = .keep
    /// A field may be written as a number or as the text of its digits.
    package var contactFields: SettingChange<[ContactFieldID]> = .keep
    package var contactField: SettingChange<ContactFieldID> = .keep
    package var maxBadgeCount: SettingChange<Int> = .keep
    package var allowedOrigins: SettingChange<[String]> = .keep
    package var timeZone: SettingChange<String> = .keep
    package var eventRetentionDays: SettingChange<Int> = .keep
    package var deliveryRetentionDays: SettingChange<Int> = .keep
    package var dormantAfterDays: SettingChange<Int> = .keep
    package var inAppScripts: SettingChange<Bool> = .keep
    package var requiresApproval: SettingChange<Bool> = .keep

    package init() {}

    /// The names of the changed settings, sorted.
    package var names: [String] {
        let named: [(CodingKeys, Bool)] = [
            (.allowedOrigins, allowedOrigins != .keep), (.anonymousContacts, anonymousContacts != .keep),
            (.contactField, contactField != .keep), (.contactFields, contactFields != .keep),
            (.deliveryRetentionDays, deliveryRetentionDays != .keep),
            (.dormantAfterDays, dormantAfterDays != .keep), (.eventRetentionDays, eventRetentionDays != .keep),
            (.identity, identity != .keep), (.inAppScripts, inAppScripts != .keep),
            (.maxBadgeCount, maxBadgeCount != .keep), (.openID, openID != .keep),
            (.requiresApproval, requiresApproval != .keep), (.timeZone, timeZone != .keep),
        ]
        return named.filter { $0.1 }.map { $0.0.rawValue }
    }

    private enum CodingKeys: String, CodingKey {
        case anonymousContacts, identity, openID, contactFields, contactField, maxBadgeCount, allowedOrigins, timeZone
        case eventRetentionDays, deliveryRetentionDays, dormantAfterDays, inAppScripts, requiresApproval
    }
}

extension AppSettingsChange: Codable {
    package init(from decoder: any Decoder) throws {
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
        contactField = try change(.contactField)
        maxBadgeCount = try change(.maxBadgeCount)
        allowedOrigins = try change(.allowedOrigins)
        timeZone = try change(.timeZone)
        eventRetentionDays = try change(.eventRetentionDays)
        deliveryRetentionDays = try change(.deliveryRetentionDays)
        dormantAfterDays = try change(.dormantAfterDays)
        inAppScripts = try change(.inAppScripts)
        requiresApproval = try change(.requiresApproval)
    }

    package func encode(to encoder: any Encoder) throws {
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
        try write(contactField, .contactField)
        try write(maxBadgeCount, .maxBadgeCount)
        try write(allowedOrigins, .allowedOrigins)
        try write(timeZone, .timeZone)
        try write(eventRetentionDays, .eventRetentionDays)
        try write(deliveryRetentionDays, .deliveryRetentionDays)
        try write(dormantAfterDays, .dormantAfterDays)
        try write(inAppScripts, .inAppScripts)
        try write(requiresApproval, .requiresApproval)
    }
}
