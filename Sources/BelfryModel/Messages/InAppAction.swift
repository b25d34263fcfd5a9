/// What kinds of actions an in-app message has.
public enum InAppActionKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The message goes away and nothing else happens; the others close it, too.
    case close
    case openUrl
    /// A custom event is tracked and handed to the app.
    case event
    /// The system asks for leave to send pushes, or its settings of the app open.
    case pushSettings
}

/// What a tap in an in-app message does.
public struct InAppAction: Hashable, Sendable, Codable {
    public typealias Kind = InAppActionKind

    public var type: Kind
    /// Of `openUrl`.
    public var url: String?
    /// Of `event`.
    public var name: String?
    /// Of `event`.
    public var attributes: [String: AttributeValue]?

    public init(type: Kind, url: String? = nil, name: String? = nil, attributes: [String: AttributeValue]? = nil) {
        self.type = type
        self.url = url
        self.name = name
        self.attributes = attributes
    }
}

/// A button of an in-app message. Its id names it in `inapp:click`, in every language.
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
