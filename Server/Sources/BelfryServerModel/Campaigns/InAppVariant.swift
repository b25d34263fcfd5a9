import BelfryModel

/// A message's texts in another language. A text that is absent is taken from the content itself.
package struct InAppVariant: Hashable, Sendable, Codable {
    package var title: String?
    package var body: String?
    package var imageUrl: String?
    package var imageAlt: String?
    package var html: String?
    /// The buttons' texts, by their ids.
    package var buttons: [String: String]?

    package init(
        title: String? = nil,
        body: String? = nil,
        imageUrl: String? = nil,
        imageAlt: String? = nil,
        html: String? = nil,
        buttons: [String: String]? = nil
    ) {
        self.title = title
        self.body = body
        self.imageUrl = imageUrl
        self.imageAlt = imageAlt
        self.html = html
        self.buttons = buttons
    }
}

extension InAppContent {
    /// The content with a variant's texts. The buttons keep their ids, so that clicks are counted over all languages.
    func saying(_ variant: InAppVariant) -> InAppContent {
        var content = self
        content.title = variant.title ?? title
        content.body = variant.body ?? body
        content.imageUrl = variant.imageUrl ?? imageUrl
        content.imageAlt = variant.imageAlt ?? imageAlt
        content.html = variant.html ?? html
        content.buttons = buttons?.map { button in
            var button = button
            button.text = variant.buttons?[button.id] ?? button.text
            return button
        }
        return content
    }
}
