/// A message center as the app's operators define it (MC-2).
public struct MessageCenter: Hashable, Sendable {
    public let name: MessageCenterName
    /// What people see; absent: the name.
    public var label: String?
    /// One that is disabled keeps its messages and shows none.
    public var isEnabled: Bool

    public init(name: MessageCenterName, label: String? = nil, isEnabled: Bool = true) {
        self.name = name
        self.label = label
        self.isEnabled = isEnabled
    }
}

/// The limits of message centers and of what is kept in them.
public enum MessageCenterLimits {
    /// Centers of an app beside the primary one (MC-2).
    public static let maximumCustom = 4
    /// Messages of one center in an answer (MC-5).
    public static let messagesPerCenter = 20
    /// Messages over all centers in the inbox of version 3 (WIRE-13).
    public static let inboxMessages = 25
    /// Characters.
    public static let maximumLabelLength = 64
    /// Characters.
    public static let maximumSubjectLength = 200
    /// Bytes of a message's text.
    public static let maximumMessageBytes = 16_384
    /// Bytes of the custom pairs as JSON.
    public static let maximumCustomBytes = 8_192
    /// Bytes of the rich content's HTML: 256 KiB.
    public static let maximumRichHTMLBytes = 262_144
}
