import BelfryModel
import Foundation

/// What a campaign keeps in a message center (MC-3, MC-8). Its texts may be templates (CAMP-4).
package struct MessageCenterContent: Hashable, Sendable, Codable {
    /// The center's name; absent: the primary one.
    package var center: String?
    /// Empty beside a push: its title.
    @TextIfAny package var subject: String
    /// Empty beside a push: its body.
    @TextIfAny package var message: String
    package var iconUrl: String?
    /// Where opening the message leads.
    package var deeplinkUrl: String?
    /// A page to show as the message's rich content; not beside `richHtml`.
    package var richUrl: String?
    /// The rich content itself, served once for each device (MC-9).
    package var richHtml: String?
    /// From then on nobody sees the message.
    @ZonedDate package var expiresAt: Date?
    /// What the message does to the badge of its recipients (BADGE-1).
    package var badge: BadgeChange?
    /// The app's own pairs.
    package var custom: [String: AttributeValue]?
    /// What recipients of other languages get, by locale (BCP 47).
    package var variants: [String: MessageCenterVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    package var defaults: [String: String]?

    package init(
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
package struct MessageCenterVariant: Hashable, Sendable, Codable {
    package var subject: String?
    package var message: String?
    package var iconUrl: String?
    package var deeplinkUrl: String?
    package var richUrl: String?
    package var richHtml: String?

    package init(
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
    package func variant(_ key: String?) -> MessageCenterContent {
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
