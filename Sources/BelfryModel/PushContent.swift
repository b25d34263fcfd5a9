/// What a push notification says and does (CAMP-6). Its texts may be templates (CAMP-4).
public struct PushContent: Hashable, Sendable {
    /// Empty in a silent push.
    public var title: String
    public var subtitle: String?
    /// Empty in a silent push.
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
    /// The app's name for a set of buttons that it defines itself.
    public var category: String?
    /// Notifications with the same one are shown as a group.
    public var threadId: String?
    public var interruptionLevel: InterruptionLevel?
    /// The app's notification channel on Android.
    public var androidChannel: String?
    /// What the push does to the number on the app's icon (BADGE-1).
    public var badge: BadgeChange?
    /// What devices of other languages get, by locale (BCP 47).
    public var variants: [String: PushVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    public var defaults: [String: String]?

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
        custom: [String: AttributeValue]? = nil,
        category: String? = nil,
        threadId: String? = nil,
        interruptionLevel: InterruptionLevel? = nil,
        androidChannel: String? = nil,
        badge: BadgeChange? = nil,
        variants: [String: PushVariant]? = nil,
        defaults: [String: String]? = nil
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
        self.category = category
        self.threadId = threadId
        self.interruptionLevel = interruptionLevel
        self.androidChannel = androidChannel
        self.badge = badge
        self.variants = variants
        self.defaults = defaults
    }
}

/// How much a notification may disturb, in Apple's words.
public enum InterruptionLevel: String, Hashable, Sendable, Codable, CaseIterable {
    case passive
    case active
    case timeSensitive
    case critical
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
