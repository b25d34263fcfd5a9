import BelfryModel

/// One centre of `GET /client/message-centers` (WIRE-10), its messages newest first.
public struct MessageCenterAnswer: Hashable, Sendable, Codable {
    public var name: String
    /// What people see in the place of the name (MC-2); absent: the name.
    public var label: String?
    public var messages: [CenterMessageBody]

    public init(name: String, label: String? = nil, messages: [CenterMessageBody]) {
        self.name = name
        self.label = label
        self.messages = messages
    }
}

/// `GET /client/message-centers` (WIRE-10): every enabled centre of the app, also an empty one.
public struct MessageCentersAnswer: Hashable, Sendable, Codable {
    public var messageCenters: [MessageCenterAnswer]
    /// So that a device without push learns its badge (BADGE-1).
    public var badge: Badge?

    public init(messageCenters: [MessageCenterAnswer], badge: Badge? = nil) {
        self.messageCenters = messageCenters
        self.badge = badge
    }
}

/// `GET /client/message-centers/{name}/messages` (WIRE-10), newest first.
public struct CenterMessagesAnswer: Hashable, Sendable, Codable {
    public var messages: [CenterMessageBody]

    public init(messages: [CenterMessageBody]) {
        self.messages = messages
    }
}

/// `GET /client/messages/{id}/rich-content` (WIRE-11).
public struct RichContentAnswer: Hashable, Sendable, Codable {
    public var id: String
    public var html: String

    public init(id: String, html: String) {
        self.id = id
        self.html = html
    }
}
