import ArgumentParser
import BelfryModel

/// The settings of an app, as the admin API calls them.
enum SettingName: String, CaseIterable, ExpressibleByArgument {
    case anonymousContacts, identity, openID, contactFields, maxBadgeCount, allowedOrigins, timeZone
    case eventRetentionDays, inAppScripts

    /// Puts the setting back to its default.
    func reset(in change: inout AppSettingsChange) {
        switch self {
        case .anonymousContacts: change.anonymousContacts = .reset
        case .identity: change.identity = .reset
        case .openID: change.openID = .reset
        case .contactFields: change.contactFields = .reset
        case .maxBadgeCount: change.maxBadgeCount = .reset
        case .allowedOrigins: change.allowedOrigins = .reset
        case .timeZone: change.timeZone = .reset
        case .eventRetentionDays: change.eventRetentionDays = .reset
        case .inAppScripts: change.inAppScripts = .reset
        }
    }
}
