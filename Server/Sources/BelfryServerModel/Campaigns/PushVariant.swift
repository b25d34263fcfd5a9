import BelfryModel

/// A content's texts in another language. A text that is absent is taken from the content itself (CAMP-6).
package struct PushVariant: Hashable, Sendable, Codable {
    package var title: String?
    package var subtitle: String?
    package var body: String?
    package var imageUrl: String?
    package var action: NotificationAction?
    package var buttons: [NotificationButton]?

    package init(
        title: String? = nil,
        subtitle: String? = nil,
        body: String? = nil,
        imageUrl: String? = nil,
        action: NotificationAction? = nil,
        buttons: [NotificationButton]? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.imageUrl = imageUrl
        self.action = action
        self.buttons = buttons
    }
}

extension PushContent {
    /// The content for a device of a locale: the content with the texts of the variant with this key, or the content
    /// alone without a key. It has no variants.
    package func variant(_ key: String?) -> PushContent {
        var content = self
        content.variants = nil
        guard let key, let variant = variants?[key] else { return content }
        content.title = variant.title ?? title
        content.subtitle = variant.subtitle ?? subtitle
        content.body = variant.body ?? body
        content.imageUrl = variant.imageUrl ?? imageUrl
        content.action = variant.action ?? action
        content.buttons = variant.buttons ?? buttons
        return content
    }
}
