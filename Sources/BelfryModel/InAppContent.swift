/// What an in-app message shows and does (IAM-12). Its texts may be templates (CAMP-4).
public struct InAppContent: Hashable, Sendable, Codable {
    public var title: String?
    public var body: String?
    public var imageUrl: String?
    /// What the image is to whoever does not see it (IAM-14).
    public var imageAlt: String?
    public var buttons: [InAppButton]?
    /// What a tap on the image or the banner does; absent: nothing.
    public var action: InAppAction?
    /// Absent: the image first.
    public var layout: InAppLayout?
    public var colors: InAppColors?
    /// What happens when a message of type ``InAppType/action`` is due, in this order.
    public var actions: [InAppAction]?
    /// The marketer's own page, with nothing beside it.
    public var html: String?

    public init(
        title: String? = nil,
        body: String? = nil,
        imageUrl: String? = nil,
        imageAlt: String? = nil,
        buttons: [InAppButton]? = nil,
        action: InAppAction? = nil,
        layout: InAppLayout? = nil,
        colors: InAppColors? = nil,
        actions: [InAppAction]? = nil,
        html: String? = nil
    ) {
        self.title = title
        self.body = body
        self.imageUrl = imageUrl
        self.imageAlt = imageAlt
        self.buttons = buttons
        self.action = action
        self.layout = layout
        self.colors = colors
        self.actions = actions
        self.html = html
    }
}

/// The order of a message's parts, from top to bottom.
public enum InAppLayout: String, Hashable, Sendable, Codable, CaseIterable {
    case imageTitleBody
    case titleImageBody
}

/// What a message says in another language; what it leaves out is as in the content itself.
public struct InAppVariant: Hashable, Sendable, Codable {
    public var title: String?
    public var body: String?
    public var imageUrl: String?
    public var imageAlt: String?
    public var html: String?
    /// Texts by the buttons' ids.
    public var buttons: [String: String]?

    public init(
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
    /// The content as a variant says it. The buttons stay the same ones, so that clicks are counted over all languages.
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
