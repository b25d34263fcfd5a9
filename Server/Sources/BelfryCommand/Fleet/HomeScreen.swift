import Belfry

/// What a device shows outside of its app: the notifications that the person has not opened yet, and the number on the
/// app's icon.
actor HomeScreen: NotificationDisplay, BadgeDisplay {
    /// Notifications that are kept; then the oldest go, as on a phone.
    private static let maximumNotifications = 100

    /// Whether the person lets the app show notifications.
    private let showsNotifications: Bool
    private var notifications: [ReceivedPush] = []
    /// The number on the icon; 0: none.
    private(set) var icon = 0
    /// The highest number that it has had.
    private(set) var highestIcon = 0

    init(showsNotifications: Bool) {
        self.showsNotifications = showsNotifications
    }

    func display(_ push: ReceivedPush) -> Bool {
        guard showsNotifications, push.title?.isEmpty == false || push.body?.isEmpty == false else { return false }
        notifications = Array((notifications + [push]).suffix(Self.maximumNotifications))
        return true
    }

    func showBadge(_ count: Int) -> Bool {
        icon = count
        highestIcon = max(highestIcon, count)
        return true
    }

    /// The person taps on every notification, and they are gone.
    func open() -> [ReceivedPush] {
        defer { notifications = [] }
        return notifications
    }
}
