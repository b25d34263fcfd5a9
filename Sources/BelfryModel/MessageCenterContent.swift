import Foundation

/// What a campaign keeps in a message centre (MC-3, MC-8). Its texts may be templates (CAMP-4).
public struct MessageCenterContent: Hashable, Sendable {
    /// The centre's name; absent: the primary one.
    public var center: String?
    /// Empty beside a push: its title.
    public var subject: String
    /// Empty beside a push: its body.
    public var message: String
    public var iconUrl: String?
    /// Where opening the message leads.
    public var deeplinkUrl: String?
    /// A page to show as the message's rich content; not beside `richHtml`.
    public var richUrl: String?
    /// The rich content itself, served once for each device (MC-9).
    public var richHtml: String?
    /// From then on nobody sees the message.
    public var expiresAt: Date?
    /// What the message does to the badge of its recipients (BADGE-1).
    public var badge: BadgeChange?
    /// The app's own pairs.
    public var custom: [String: AttributeValue]?
    /// What recipients of other languages get, by locale (BCP 47).
    public var variants: [String: MessageCenterVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    public var defaults: [String: String]?

    public init(
        center: String? = nil,
        subject: String = "",
        message: String = "",
        iconUrl: String? = nil,
        deeplinkUrl: String? = nil,
        richUrl: String? = nil,
        richHtml: String? = nil,
        expiresAt: Date? = nil,
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

/// What a message says in another language; what it leaves out is as in the content itself.
public struct MessageCenterVariant: Hashable, Sendable, Codable {
    public var subject: String?
    public var message: String?
    public var iconUrl: String?
    public var deeplinkUrl: String?
    public var richUrl: String?
    public var richHtml: String?

    public init(
        subject: String? = nil,
        message: String? = nil,
        iconUrl: String? = nil,
        deeplinkUrl: String? = nil,
        richUrl: String? = nil,
        richHtml: String? = nil
    ) {
        self.subject = subject
        self.message = message
        self.iconUrl = iconUrl
        self.deeplinkUrl = deeplinkUrl
        self.richUrl = richUrl
        self.richHtml = richHtml
    }
}

extension MessageCenterContent {
    /// What a recipient of a locale gets: the variant with this key over the content, or without one the content alone.
    /// It has no variants of its own. A variant's rich content is one of two, so it replaces both.
    public func variant(_ key: String?) -> MessageCenterContent {
        var content = self
        content.variants = nil
        guard let key, let variant = variants?[key] else { return content }
        content.subject = variant.subject ?? subject
        content.message = variant.message ?? message
        content.iconUrl = variant.iconUrl ?? iconUrl
        content.deeplinkUrl = variant.deeplinkUrl ?? deeplinkUrl
        if variant.richUrl != nil || variant.richHtml != nil {
            content.richUrl = variant.richUrl
            content.richHtml = variant.richHtml
        }
        return content
    }
}
