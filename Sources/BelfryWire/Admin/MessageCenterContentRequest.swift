import BelfryModel

/// What a campaign keeps in a message centre (MC-3), as it is written: a date without an offset is in the app's time
/// zone (ADM-2), which only the server knows.
public struct MessageCenterContentRequest: Hashable, Sendable, Codable {
    /// Absent: the primary one.
    public var center: String?
    /// Absent beside a push: its title.
    public var subject: String?
    /// Absent beside a push: its body.
    public var message: String?
    public var iconUrl: String?
    public var deeplinkUrl: String?
    public var richUrl: String?
    public var richHtml: String?
    public var expiresAt: String?
    public var badge: BadgeChange?
    public var custom: [String: AttributeValue]?
    public var variants: [String: MessageCenterVariant]?
    public var defaults: [String: String]?

    public init(
        center: String? = nil,
        subject: String? = nil,
        message: String? = nil,
        iconUrl: String? = nil,
        deeplinkUrl: String? = nil,
        richUrl: String? = nil,
        richHtml: String? = nil,
        expiresAt: String? = nil,
        badge: BadgeChange? = nil,
        custom: [String: AttributeValue]? = nil,
        variants: [String: MessageCenterVariant]? = nil,
        defaults: [String: String]? = nil
    ) {
        self.center = center
        self.subject = subject
        self.message = message
        self.iconUrl = iconUrl
        self.deeplinkUrl = deeplinkUrl
        self.richUrl = richUrl
        self.richHtml = richHtml
        self.expiresAt = expiresAt
        self.badge = badge
        self.custom = custom
        self.variants = variants
        self.defaults = defaults
    }
}
