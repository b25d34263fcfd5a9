/// The kind of an in-app message's action.
public enum InAppActionKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The message closes and nothing else happens. The other actions close it, too.
    case close
    case openUrl
    /// A custom event is tracked and passed to the app.
    case event
    /// The system asks for the permission to send pushes, or opens its settings for the app.
    case pushSettings
}

/// The action of a tap in an in-app message.
public struct InAppAction: Hashable, Sendable, Codable {
    public typealias Kind = InAppActionKind

    public var type: Kind
    /// Only for `openUrl`.
    public var url: String?
    /// Only for `event`.
    public var name: String?
    /// Only for `event`.
    public var attributes: [String: AttributeValue]?

    public init(type: Kind, url: String? = nil, name: String? = nil, attributes: [String: AttributeValue]? = nil) {
        self.type = type
        self.url = url
        self.name = name
        self.attributes = attributes
    }
}

/// A button of an in-app message. Its id identifies it in `inapp:click`, in every language.
public struct InAppButton: Hashable, Sendable, Codable {
    public var id: String
    public var text: String
    public var action: InAppAction

    public init(id: String, text: String, action: InAppAction) {
        self.id = id
        self.text = text
        self.action = action
    }
}
