import BelfryModel

/// The content of a push notification (CAMP-6). Its texts may be templates (CAMP-4).
package struct PushContent: Hashable, Sendable, Codable {
    /// The title. It is empty in a silent push; the campaign's kind decides whether it is required.
    @TextIfAny package var title: String
    package var subtitle: String?
    /// The text. It is empty in a silent push, like the title.
    @TextIfAny package var body: String
    package var imageUrl: String?
    package var sound: String?
    package var action: NotificationAction?
    package var buttons: [NotificationButton]?
    /// At most 64 bytes. Absent: it is derived from device and campaign (PUSH-5).
    package var collapseId: String?
    /// How long the push service tries to deliver it, in seconds. Default: four weeks.
    package var ttlSeconds: Int?
    /// 10: deliver immediately (default). 5: save the device's power. 1: give saving power priority over everything
    /// else.
    package var priority: Int?
    /// The app's own keys, besides `aps` and `belfry`.
    package var custom: [String: AttributeValue]?
    /// The app's name for a set of buttons that it defines itself.
    package var category: String?
    /// Notifications with the same id are shown as a group.
    package var threadId: String?
    package var interruptionLevel: InterruptionLevel?
    /// 0 to 1: Apple's systems show the app's notification with the highest score first (PUSH-9).
    package var relevanceScore: Double?
    /// The window that a tap brings to the front; Apple calls it the target content identifier (PUSH-9).
    package var targetContentId: String?
    /// The text by which the Focus filters of Apple's systems decide whether to show the notification (PUSH-9).
    package var filterCriteria: String?
    /// The app's notification channel on Android.
    package var androidChannel: String?
    /// What a locked Android phone shows of it; without one, the app's channel decides (PUSH-9).
    package var androidVisibility: LockScreenVisibility?
    /// The label of the messages in Google's reports: 1 to 50 of `A-Z a-z 0-9 - _ . ~ %` (PUSH-9).
    package var analyticsLabel: String?
    /// Whether a silent push goes to browsers, too: they end subscriptions whose pushes show nothing (PUSH-7).
    package var browsers: Bool?
    /// The change of the number on the app's icon (BADGE-1).
    package var badge: BadgeChange?
    /// The texts for devices of other languages, by locale (BCP 47).
    package var variants: [String: PushVariant]?
    /// Default values for variables that a recipient lacks, by the variables' names.
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

/// How much a notification may disturb the user, in Apple's terms.
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
