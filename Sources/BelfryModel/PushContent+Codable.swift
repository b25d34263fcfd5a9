extension PushContent: Codable {
    private enum Key: String, CodingKey {
        case title, subtitle, body, imageUrl, sound, action, buttons, collapseId, ttlSeconds, priority, custom
        case category, threadId, interruptionLevel, androidChannel, badge, variants, defaults
    }

    /// A silent push says nothing, so title and body may be absent; whether they are needed, the campaign's kind says.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        func number(_ key: Key) throws -> Int? { try container.decodeIfPresent(Int.self, forKey: key) }
        self.init(
            title: try text(.title) ?? "",
            subtitle: try text(.subtitle),
            body: try text(.body) ?? "",
            imageUrl: try text(.imageUrl),
            sound: try text(.sound),
            action: try container.decodeIfPresent(NotificationAction.self, forKey: .action),
            buttons: try container.decodeIfPresent([NotificationButton].self, forKey: .buttons),
            collapseId: try text(.collapseId),
            ttlSeconds: try number(.ttlSeconds),
            priority: try number(.priority),
            custom: try container.decodeIfPresent([String: AttributeValue].self, forKey: .custom),
            category: try text(.category),
            threadId: try text(.threadId),
            interruptionLevel: try container.decodeIfPresent(InterruptionLevel.self, forKey: .interruptionLevel),
            androidChannel: try text(.androidChannel),
            badge: try container.decodeIfPresent(BadgeChange.self, forKey: .badge),
            variants: try container.decodeIfPresent([String: PushVariant].self, forKey: .variants),
            defaults: try container.decodeIfPresent([String: String].self, forKey: .defaults)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if !title.isEmpty { try container.encode(title, forKey: .title) }
        try container.encodeIfPresent(subtitle, forKey: .subtitle)
        if !body.isEmpty { try container.encode(body, forKey: .body) }
        try container.encodeIfPresent(imageUrl, forKey: .imageUrl)
        try container.encodeIfPresent(sound, forKey: .sound)
        try container.encodeIfPresent(action, forKey: .action)
        try container.encodeIfPresent(buttons, forKey: .buttons)
        try container.encodeIfPresent(collapseId, forKey: .collapseId)
        try container.encodeIfPresent(ttlSeconds, forKey: .ttlSeconds)
        try container.encodeIfPresent(priority, forKey: .priority)
        try container.encodeIfPresent(custom, forKey: .custom)
        try container.encodeIfPresent(category, forKey: .category)
        try container.encodeIfPresent(threadId, forKey: .threadId)
        try container.encodeIfPresent(interruptionLevel, forKey: .interruptionLevel)
        try container.encodeIfPresent(androidChannel, forKey: .androidChannel)
        try container.encodeIfPresent(badge, forKey: .badge)
        try container.encodeIfPresent(variants, forKey: .variants)
        try container.encodeIfPresent(defaults, forKey: .defaults)
    }
}
