import BelfryModel
import BelfryServerModel

/// `GET` and `PUT …/settings` (ADM-2): the settings in force, including the defaults of absent ones. None of them is
/// secret: the keys in them are public ones.
package struct AppSettingsResponse: Hashable, Sendable, Codable {
    package var anonymousContacts: Bool
    package var identity: IdentityMode
    /// Absent: OpenID tokens are not accepted.
    package var openID: OpenIDSettings?
    /// Absent: any field links a contact.
    package var contactFields: [String]?
    /// Absent: the value alone is the contact key, for every field.
    package var contactField: String?
    package var maxBadgeCount: Int
    package var allowedOrigins: [String]
    package var timeZone: String
    /// Absent: events are kept forever.
    package var eventRetentionDays: Int?
    /// Absent: ledgers are kept forever.
    package var deliveryRetentionDays: Int?
    package var dormantAfterDays: Int
    package var inAppScripts: Bool
    package var requiresApproval: Bool

    package init(_ settings: AppSettings) {
        anonymousContacts = settings.allowsAnonymousContacts
        identity = settings.identityMode
        openID = settings.openID
        contactFields = settings.contactFields
        contactField = settings.contactField
        maxBadgeCount = settings.maximumBadge
        allowedOrigins = settings.origins
        timeZone = settings.timeZoneName
        eventRetentionDays = settings.eventRetentionDays
        deliveryRetentionDays = settings.deliveryRetentionDays
        dormantAfterDays = settings.dormancyDays
        inAppScripts = settings.allowsInAppScripts
        requiresApproval = settings.asksForApproval
    }
}

extension AppSettingsResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "anonymousContacts": .boolean,
            "identity": .identity,
            "maxBadgeCount": .integer(),
            "allowedOrigins": .list(of: .string()),
            "timeZone": .string(),
            "dormantAfterDays": .integer(),
            "inAppScripts": .boolean,
            "requiresApproval": .boolean,
        ],
        optional: [
            "openID": .of(OpenIDSettings.self).described("Absent: OpenID tokens are not accepted."),
            "contactFields": .list(of: .string()).described("Absent: any field may be used to link."),
            "contactField": .string()
                .described("The app's own contact field. Absent: the value alone counts, whatever the field."),
            "eventRetentionDays": .integer().described("Absent: events are never deleted."),
            "deliveryRetentionDays": .integer().described(
                "Absent: delivery records are never deleted."),
        ]
    )
}
