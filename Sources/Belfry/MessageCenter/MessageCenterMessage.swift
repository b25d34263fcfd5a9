import BelfryModel
import BelfryWire
import Foundation

/// A message of a message center (MC-8).
///
/// ``id``, ``sentTimestamp``, ``subject``, ``message`` and ``messageCenterName`` always have a value; the other
/// properties depend on the campaign.
public struct MessageCenterMessage: Identifiable, Hashable, Sendable {
    /// The message's id, the same on all devices of the contact.
    public let id: String
    /// The headline of the message.
    public let subject: String
    /// The text of the message; for a message with a push, the text of the push unless the campaign has another.
    public let message: String
    /// An image next to the message.
    public let iconURL: URL?
    /// The center of the message.
    public let messageCenterName: String
    /// The address to open for the message. The SDK itself opens no address.
    public let deeplinkURL: URL?
    /// A page that shows the rich message.
    public let richMessageURL: URL?
    /// The rich message itself, once ``BelfryClient/richContent(for:)`` has fetched it.
    public let richMessageHTML: String?
    /// Whether there is rich content to fetch with ``BelfryClient/richContent(for:)``.
    public let hasRichContent: Bool
    /// When the message was sent to the person.
    public let sentTimestamp: Date
    /// The message is no longer shown from then on; nil if it does not expire.
    public let expiryTimestamp: Date?
    /// Unread, read or deleted; a change on this device counts before the server knows it (MC-14).
    public let state: MessageState
    /// The custom pairs of the campaign.
    public let customKeyValuePairs: [String: AttributeValue]

    /// Creates a message for previews and tests; the SDK creates those of the centers.
    public init(
        id: String,
        subject: String,
        message: String,
        sentTimestamp: Date,
        messageCenterName: String = MessageCenterName.primary.rawValue,
        iconURL: URL? = nil,
        deeplinkURL: URL? = nil,
        richMessageURL: URL? = nil,
        richMessageHTML: String? = nil,
        hasRichContent: Bool = false,
        expiryTimestamp: Date? = nil,
        state: MessageState = .unread,
        customKeyValuePairs: [String: AttributeValue] = [:]
    ) {
        self.id = id
        self.subject = subject
        self.message = message
        self.iconURL = iconURL
        self.messageCenterName = messageCenterName
        self.deeplinkURL = deeplinkURL
        self.richMessageURL = richMessageURL
        self.richMessageHTML = richMessageHTML
        self.hasRichContent = hasRichContent
        self.sentTimestamp = sentTimestamp
        self.expiryTimestamp = expiryTimestamp
        self.state = state
        self.customKeyValuePairs = customKeyValuePairs
    }
}

extension MessageCenterMessage {
    /// Whether the person has neither read nor deleted it.
    public var isUnread: Bool { state == .unread }
}

extension MessageCenterMessage {
    /// The public form of a stored message (MC-8). Invalid addresses are omitted.
    init(_ stored: StoredMessageCenterMessage) {
        let body = stored.body
        self.init(
            id: body.id,
            subject: body.subject,
            message: body.message,
            sentTimestamp: stored.sentAt,
            messageCenterName: body.center,
            iconURL: Self.url(body.iconURL),
            deeplinkURL: Self.url(body.deeplinkURL),
            richMessageURL: Self.url(body.richMessageURL),
            richMessageHTML: stored.richHTML,
            hasRichContent: body.hasRichContent,
            expiryTimestamp: stored.expiresAt,
            state: stored.state,
            customKeyValuePairs: body.custom ?? [:]
        )
    }

    private static func url(_ text: String?) -> URL? {
        text.flatMap(WireURL.decoded).flatMap(URLText.url)
    }
}
