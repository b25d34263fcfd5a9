import BelfryModel
import BelfryWire
import Foundation

/// A message of a message centre (MC-8).
///
/// ``id``, ``sentTimestamp``, ``subject``, ``message`` and ``messageCenterName`` are always there; everything else as
/// the marketer chose.
public struct MessageCenterMessage: Identifiable, Hashable, Sendable {
    /// The same on all devices of the contact.
    public let id: String
    /// The headline of the message.
    public let subject: String
    /// The text of the message, as the push showed it when there was one.
    public let message: String
    /// The picture beside the message.
    public let iconURL: URL?
    /// The centre that it is kept in.
    public let messageCenterName: String
    /// Where the message leads when the person opens it. The SDK itself opens no address.
    public let deeplinkURL: URL?
    /// A page that shows the rich message.
    public let richMessageURL: URL?
    /// The rich message itself, once ``BelfryClient/richContent(for:)`` has fetched it.
    public let richMessageHTML: String?
    /// There is rich content to be fetched by ``BelfryClient/richContent(for:)``.
    public let hasRichContent: Bool
    /// When the message was sent to the person.
    public let sentTimestamp: Date
    /// From then on it is no longer shown; nil for one that does not expire.
    public let expiryTimestamp: Date?
    /// Unread, read or deleted; what was done on this device counts before the server knows it (MC-14).
    public let state: MessageState
    /// The campaign's own pairs.
    public let customKeyValuePairs: [String: AttributeValue]

    /// Makes a message by hand, for previews and tests; the SDK makes those of the centres.
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
    /// The person has neither read nor deleted it.
    public var isUnread: Bool { state == .unread }
}

extension MessageCenterMessage {
    /// A message as the device keeps it (MC-8). An address that is none leads nowhere.
    init(_ stored: StoredCenterMessage) {
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
