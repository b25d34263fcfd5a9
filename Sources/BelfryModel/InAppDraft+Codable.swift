import Foundation

/// Its dates are written as ``Timestamp`` has them, and read with their offset.
extension InAppDraft: Codable {
    private enum Key: String, CodingKey {
        case type, priority, trigger, viewId, startsAt, endsAt, displayLimit, delaySeconds, content, variants, defaults
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func number(_ key: Key) throws -> Int? { try container.decodeIfPresent(Int.self, forKey: key) }
        func date(_ key: Key) throws -> Date? {
            guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
            guard let date = Timestamp.date(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "expected a date such as 2026-12-01T09:00:00Z"
                )
            }
            return date
        }
        self.init(
            type: try container.decode(InAppType.self, forKey: .type),
            priority: try number(.priority),
            trigger: try container.decodeIfPresent(InAppTrigger.self, forKey: .trigger),
            viewId: try container.decodeIfPresent(String.self, forKey: .viewId),
            startsAt: try date(.startsAt),
            endsAt: try date(.endsAt),
            displayLimit: try number(.displayLimit),
            delaySeconds: try number(.delaySeconds),
            content: try container.decode(InAppContent.self, forKey: .content),
            variants: try container.decodeIfPresent([String: InAppVariant].self, forKey: .variants),
            defaults: try container.decodeIfPresent([String: String].self, forKey: .defaults)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(priority, forKey: .priority)
        try container.encodeIfPresent(trigger, forKey: .trigger)
        try container.encodeIfPresent(viewId, forKey: .viewId)
        try container.encodeIfPresent(startsAt.map(Timestamp.text), forKey: .startsAt)
        try container.encodeIfPresent(endsAt.map(Timestamp.text), forKey: .endsAt)
        try container.encodeIfPresent(displayLimit, forKey: .displayLimit)
        try container.encodeIfPresent(delaySeconds, forKey: .delaySeconds)
        try container.encode(content, forKey: .content)
        try container.encodeIfPresent(variants, forKey: .variants)
        try container.encodeIfPresent(defaults, forKey: .defaults)
    }
}
