import BelfryModel
import Foundation

/// The message that a campaign stores in a message center (MC-3, MC-8). Its texts may be templates (CAMP-4).
package struct MessageCenterContent: Hashable, Sendable, Codable {
    /// The center's name. Absent: the primary one.
    package var center: String?
    /// The subject. If it is empty, the push's title is used.
    @TextIfAny package var subject: String
    /// The text. If it is empty, the push's body is used.
    @TextIfAny package var message: String
    package var iconUrl: String?
    /// The address that opening the message leads to.
    package var deeplinkUrl: String?
    /// A page to show as the message's rich content. It excludes `richHtml`.
    package var richUrl: String?
    /// The rich content itself, which each device fetches once (MC-9).
    package var richHtml: String?
    /// The message is not shown from this time on.
    @ZonedDate package var expiresAt: Date?
    /// The change of the recipients' badges (BADGE-1).
    package var badge: BadgeChange?
    /// The app's own key-value pairs.
    package var custom: [String: AttributeValue]?
    /// The texts for recipients of other languages, by locale (BCP 47).
    package var variants: [String: MessageCenterVariant]?
    /// Default values for variables that a recipient lacks, by the variables' names.
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

/// A message's texts in another language. A text that is absent is taken from the content itself.
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
    /// The message for a recipient of a locale: the content with the texts of the variant with this key, or the content
    /// alone without a key. It has no variants. A variant's rich content replaces both kinds of rich content.
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
