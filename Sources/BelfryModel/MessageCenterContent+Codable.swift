import Foundation

/// Its date is written as ``Timestamp`` has it, and read with its offset.
extension MessageCenterContent: Codable {
    private enum Key: String, CodingKey {
        case center, subject, message, iconUrl, deeplinkUrl, richUrl, richHtml, expiresAt, badge, custom, variants
        case defaults
    }

    /// Beside a push, subject and message may be absent; whether they are needed, the campaign's kind says.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        func date(_ key: Key) throws -> Date? {
            guard let text = try text(key) else { return nil }
            guard let date = Timestamp.date(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "expected a date such as 2026-12-01T09:00:00Z"
                )
            }
            return date
        }
        self.init(
            center: try text(.center),
            subject: try text(.subject) ?? "",
            message: try text(.message) ?? "",
            iconUrl: try text(.iconUrl),
            deeplinkUrl: try text(.deeplinkUrl),
            richUrl: try text(.richUrl),
            richHtml: try text(.richHtml),
            expiresAt: try date(.expiresAt),
            badge: try container.decodeIfPresent(BadgeChange.self, forKey: .badge),
            custom: try container.decodeIfPresent([String: AttributeValue].self, forKey: .custom),
            variants: try container.decodeIfPresent([String: MessageCenterVariant].self, forKey: .variants),
            defaults: try container.decodeIfPresent([String: String].self, forKey: .defaults)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(center, forKey: .center)
        if !subject.isEmpty { try container.encode(subject, forKey: .subject) }
        if !message.isEmpty { try container.encode(message, forKey: .message) }
        try container.encodeIfPresent(iconUrl, forKey: .iconUrl)
        try container.encodeIfPresent(deeplinkUrl, forKey: .deeplinkUrl)
        try container.encodeIfPresent(richUrl, forKey: .richUrl)
        try container.encodeIfPresent(richHtml, forKey: .richHtml)
        try container.encodeIfPresent(expiresAt.map(Timestamp.text), forKey: .expiresAt)
        try container.encodeIfPresent(badge, forKey: .badge)
        try container.encodeIfPresent(custom, forKey: .custom)
        try container.encodeIfPresent(variants, forKey: .variants)
        try container.encodeIfPresent(defaults, forKey: .defaults)
    }
}
