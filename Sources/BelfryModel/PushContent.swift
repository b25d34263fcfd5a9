/// What a push notification says and does (CAMP-6).
public struct PushContent: Hashable, Sendable, Codable {
    public var title: String
    public var subtitle: String?
    public var body: String
    public var imageUrl: String?
    public var sound: String?
    public var action: NotificationAction?
    public var buttons: [NotificationButton]?
    /// At most 64 bytes; without one, the device and campaign make it (PUSH-5).
    public var collapseId: String?
    /// How long the push service keeps trying; default four weeks.
    public var ttlSeconds: Int?
    /// 10 at once (default), 5 to spare the device's power, 1 above all to spare it.
    public var priority: Int?
    /// The app's own keys beside `aps` and `belfry`.
    public var custom: [String: AttributeValue]?

    public init(
        title: String,
        subtitle: String? = nil,
        body: String,
        imageUrl: String? = nil,
        sound: String? = nil,
        action: NotificationAction? = nil,
        buttons: [NotificationButton]? = nil,
        collapseId: String? = nil,
        ttlSeconds: Int? = nil,
        priority: Int? = nil,
        custom: [String: AttributeValue]? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.imageUrl = imageUrl
        self.sound = sound
        self.action = action
        self.buttons = buttons
        self.collapseId = collapseId
        self.ttlSeconds = ttlSeconds
        self.priority = priority
        self.custom = custom
    }
}

/// What happens when a notification is opened.
public struct NotificationAction: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case launchApp
        case openUrl
        case openRichMessage
    }

    public var type: Kind
    public var url: String?

    public init(type: Kind, url: String? = nil) {
        self.type = type
        self.url = url
    }
}

/// A button under a notification.
public struct NotificationButton: Hashable, Sendable, Codable {
    public var id: String
    public var text: String
    public var action: NotificationAction?

    public init(id: String, text: String, action: NotificationAction? = nil) {
        self.id = id
        self.text = text
        self.action = action
    }
}
