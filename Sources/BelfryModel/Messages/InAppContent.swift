/// The content of an in-app message (IAM-12). Its texts may be templates (CAMP-4).
public struct InAppContent: Hashable, Sendable, Codable {
    public var title: String?
    public var body: String?
    public var imageUrl: String?
    /// The alternative text of the image (IAM-14).
    public var imageAlt: String?
    public var buttons: [InAppButton]?
    /// The action of a tap on the image or the banner; absent: none.
    public var action: InAppAction?
    /// Absent: the image first.
    public var layout: InAppLayout?
    public var colors: InAppColors?
    /// The actions of a message of type ``InAppType/action``, performed in this order when the message is due.
    public var actions: [InAppAction]?
    /// The marketer's own page; then there are no other parts.
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
