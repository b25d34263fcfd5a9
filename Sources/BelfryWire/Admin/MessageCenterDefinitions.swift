import BelfryModel

/// `PUT …/message-centers/{name}` (ADM-2): what is absent stays as it is.
public struct MessageCenterChange: Hashable, Sendable, Codable {
    /// What people see in the place of the name; a blank one takes the label away.
    public var label: String?
    /// A new centre is enabled.
    public var enabled: Bool?

    public init(label: String? = nil, enabled: Bool? = nil) {
        self.label = label
        self.enabled = enabled
    }
}

/// A message centre of an app (MC-2).
public struct MessageCenterDefinition: Hashable, Sendable, Codable {
    public var name: String
    public var label: String?
    public var enabled: Bool

    public init(_ center: MessageCenter) {
        name = center.name.rawValue
        label = center.label
        enabled = center.isEnabled
    }
}

/// `GET …/message-centers`: the primary one first, the others as they were made.
public struct MessageCenterListAnswer: Hashable, Sendable, Codable {
    public var messageCenters: [MessageCenterDefinition]

    public init(messageCenters: [MessageCenterDefinition]) {
        self.messageCenters = messageCenters
    }
}
