import BelfryModel

/// `GET` and `PUT …/settings` (ADM-2): the settings in force, the defaults of absent ones included. Nothing in them is
/// secret: the keys are public ones.
public struct AppSettingsAnswer: Hashable, Sendable, Codable {
    public var anonymousContacts: Bool
    public var identity: IdentityMode
    /// Absent: no OpenID token is taken.
    public var openID: OpenIDSettings?
    /// Absent: any field links.
    public var contactFields: [String]?
    public var maxBadgeCount: Int
    public var allowedOrigins: [String]
    public var timeZone: String
    /// Absent: events are kept for good.
    public var eventRetentionDays: Int?
    public var inAppScripts: Bool

    public init(_ settings: AppSettings) {
        anonymousContacts = settings.allowsAnonymousContacts
        identity = settings.identityMode
        openID = settings.openID
        contactFields = settings.contactFields
        maxBadgeCount = settings.maximumBadge
        allowedOrigins = settings.origins
        timeZone = settings.timeZoneName
        eventRetentionDays = settings.eventRetentionDays
        inAppScripts = settings.allowsInAppScripts
    }
}
