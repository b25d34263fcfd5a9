import BelfryModel

/// A message center message in a response (MC-8, WIRE-10): dates as ISO 8601 in UTC, addresses percent-encoded
/// completely (``WireURL``).
public struct MessageCenterMessageBody: Hashable, Sendable {
    /// The same on all devices of the contact; contains the campaign.
    public var id: String
    public var sentAt: String
    public var subject: String
    public var message: String
    public var deeplinkURL: String?
    public var richMessageURL: String?
    public var iconURL: String?
    public var expiresAt: String?
    public var center: String
    /// Whether there is HTML to fetch (WIRE-11).
    public var hasRichContent: Bool
    public var state: MessageState
    public var custom: [String: AttributeValue]?

    public init(
        id: String,
        sentAt: String,
        subject: String,
        message: String,
        deeplinkURL: String? = nil,
        richMessageURL: String? = nil,
        iconURL: String? = nil,
        expiresAt: String? = nil,
        center: String = MessageCenterName.primary.rawValue,
        hasRichContent: Bool = false,
        state: MessageState = .unread,
        custom: [String: AttributeValue]? = nil
    ) {
        self.id = id
        self.sentAt = sentAt
        self.subject = subject
        self.message = message
        self.deeplinkURL = deeplinkURL
        self.richMessageURL = richMessageURL
        self.iconURL = iconURL
        self.expiresAt = expiresAt
        self.center = center
        self.hasRichContent = hasRichContent
        self.state = state
        self.custom = custom
    }
}

extension MessageCenterMessageBody: Codable {
    private enum Key: String, CodingKey {
        case id, subject, message, state, custom
        case sentAt = "sent_ts"
        case deeplinkURL = "deeplink_url"
        case richMessageURL = "richmessage_url"
        case iconURL = "icon_url"
        case expiresAt = "expiry_ts"
        case center = "message_center_name"
        case hasRichContent = "has_rich_content"
    }

    /// `has_rich_content` and `state` may be absent: then there is no rich content, and the message is unread.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            id: try container.decode(String.self, forKey: .id),
            sentAt: try container.decode(String.self, forKey: .sentAt),
            subject: try container.decode(String.self, forKey: .subject),
            message: try container.decode(String.self, forKey: .message),
            deeplinkURL: try text(.deeplinkURL),
            richMessageURL: try text(.richMessageURL),
            iconURL: try text(.iconURL),
            expiresAt: try text(.expiresAt),
            center: try container.decode(String.self, forKey: .center),
            hasRichContent: try container.decodeIfPresent(Bool.self, forKey: .hasRichContent) ?? false,
            state: try container.decodeIfPresent(MessageState.self, forKey: .state) ?? .unread,
            custom: try container.decodeIfPresent([String: AttributeValue].self, forKey: .custom)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(sentAt, forKey: .sentAt)
        try container.encode(subject, forKey: .subject)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(deeplinkURL, forKey: .deeplinkURL)
        try container.encodeIfPresent(richMessageURL, forKey: .richMessageURL)
        try container.encodeIfPresent(iconURL, forKey: .iconURL)
        try container.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try container.encode(center, forKey: .center)
        try container.encode(hasRichContent, forKey: .hasRichContent)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(custom, forKey: .custom)
    }
}
