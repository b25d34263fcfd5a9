import BelfryModel

/// One center of `GET /client/message-centers` (WIRE-10), its messages newest first.
public struct MessageCenterSummary: Hashable, Sendable, Codable {
    public var name: String
    /// The text to show instead of the name (MC-2); absent: the name.
    public var label: String?
    public var messages: [MessageCenterMessageBody]

    public init(name: String, label: String? = nil, messages: [MessageCenterMessageBody]) {
        self.name = name
        self.label = label
        self.messages = messages
    }
}

/// `GET /client/message-centers` (WIRE-10): every enabled center of the app, including empty ones.
public struct MessageCentersResponse: Hashable, Sendable, Codable {
    public var messageCenters: [MessageCenterSummary]
    /// The names of the disabled centers, so that a device need not ask for each why it is not listed (MC-10); absent: an
    /// earlier server does not say.
    public var disabled: [String]?
    /// So that a device without push learns its badge (BADGE-1).
    public var badge: Badge?
    /// The newest registration that was processed (REG-25); absent: none.
    public var registration: RegistrationResult?

    public init(
        messageCenters: [MessageCenterSummary], disabled: [String]? = nil, badge: Badge? = nil,
        registration: RegistrationResult? = nil
    ) {
        self.messageCenters = messageCenters
        self.disabled = disabled
        self.badge = badge
        self.registration = registration
    }
}

/// `GET /client/message-centers/{name}/messages` (WIRE-10), newest first.
public struct MessageCenterMessagesResponse: Hashable, Sendable, Codable {
    public var messages: [MessageCenterMessageBody]

    public init(messages: [MessageCenterMessageBody]) {
        self.messages = messages
    }
}

/// `GET /client/messages/{id}/rich-content` (WIRE-11).
public struct RichContentResponse: Hashable, Sendable, Codable {
    public var id: String
    public var html: String

    public init(id: String, html: String) {
        self.id = id
        self.html = html
    }
}
