import BelfryModel

/// What a push notification says and does (CAMP-6). Its texts may be templates (CAMP-4).
package struct PushContent: Hashable, Sendable, Codable {
    /// Empty in a silent push; whether it is needed, the campaign's kind says.
    @TextIfAny package var title: String
    package var subtitle: String?
    /// As the title.
    @TextIfAny package var body: String
    package var imageUrl: String?
    package var sound: String?
    package var action: NotificationAction?
    package var buttons: [NotificationButton]?
    /// At most 64 bytes; without one, the device and campaign make it (PUSH-5).
    package var collapseId: String?
    /// How long the push service keeps trying; default four weeks.
    package var ttlSeconds: Int?
    /// 10 at once (default), 5 to spare the device's power, 1 above all to spare it.
    package var priority: Int?
    /// The app's own keys beside `aps` and `belfry`.
    package var custom: [String: AttributeValue]?
    /// The app's name for a set of buttons that it defines itself.
    package var category: String?
    /// Notifications with the same one are shown as a group.
    package var threadId: String?
    package var interruptionLevel: InterruptionLevel?
    /// 0 to 1: of an app's notifications, Apple's systems put the highest first (PUSH-9).
    package var relevanceScore: Double?
    /// The window that a tap brings to the front, by the identifier that Apple's systems call the target content's
    /// (PUSH-9).
    package var targetContentId: String?
    /// What the Focus filters of Apple's systems decide by, whether the notification is shown (PUSH-9).
    package var filterCriteria: String?
    /// The app's notification channel on Android.
    package var androidChannel: String?
    /// What a locked Android phone shows of it; without one, the app's channel decides (PUSH-9).
    package var androidVisibility: LockScreenVisibility?
    /// The label of the messages in Google's reports: 1 to 50 of `A-Z a-z 0-9 - _ . ~ %` (PUSH-9).
    package var analyticsLabel: String?
    /// Whether a silent push goes to browsers, too: they end subscriptions whose pushes show nothing (PUSH-7).
    package var browsers: Bool?
    /// What the push does to the number on the app's icon (BADGE-1).
    package var badge: BadgeChange?
    /// What devices of other languages get, by locale (BCP 47).
    package var variants: [String: PushVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    package var defaults: [String: String]?

    package init(
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
        relevanceScore: Double? = nil,
        targetContentId: String? = nil,
        filterCriteria: String? = nil,
        androidChannel: String? = nil,
        androidVisibility: LockScreenVisibility? = nil,
        analyticsLabel: String? = nil,
        browsers: Bool? = nil,
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
        self.relevanceScore = relevanceScore
        self.targetContentId = targetContentId
        self.filterCriteria = filterCriteria
        self.androidChannel = androidChannel
        self.androidVisibility = androidVisibility
        self.analyticsLabel = analyticsLabel
        self.browsers = browsers
        self.badge = badge
        self.variants = variants
        self.defaults = defaults
    }
}

/// How much a notification may disturb, in Apple's words.
package enum InterruptionLevel: String, Hashable, Sendable, Codable, CaseIterable {
    case passive
    case active
    case timeSensitive
    case critical
}

/// What a locked screen shows of a notification; the values are Android's words.
package enum LockScreenVisibility: String, Hashable, Sendable, Codable, CaseIterable {
    case everything = "public"
    /// That there is one, but not what it says.
    case presence = "private"
    case nothing = "secret"
}
