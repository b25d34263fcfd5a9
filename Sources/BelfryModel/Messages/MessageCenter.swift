/// A message center as the app's operators define it (MC-2).
public struct MessageCenter: Hashable, Sendable {
    public let name: MessageCenterName
    /// The text that people see; absent: the name.
    public var label: String?
    /// A disabled center keeps its messages, but does not show them.
    public var isEnabled: Bool

    public init(name: MessageCenterName, label: String? = nil, isEnabled: Bool = true) {
        self.name = name
        self.label = label
        self.isEnabled = isEnabled
    }
}

/// The limits of message centers and their messages.
public enum MessageCenterLimits {
    /// The maximum number of an app's centers besides the primary one (MC-2).
    public static let maximumCustom = 4
    /// The maximum number of messages of one center in a response (MC-5).
    public static let messagesPerCenter = 20
    /// The maximum number of messages in the inbox of version 3, over all centers (WIRE-13).
    public static let inboxMessages = 25
    /// The maximum length in characters.
    public static let maximumLabelLength = 64
    /// The maximum length in characters.
    public static let maximumSubjectLength = 200
    /// The maximum size of a message's text in bytes.
    public static let maximumMessageBytes = 16_384
    /// The maximum size of the custom pairs as JSON in bytes.
    public static let maximumCustomBytes = 8_192
    /// The maximum size of the rich content's HTML in bytes: 256 KiB.
    public static let maximumRichHTMLBytes = 262_144
}
