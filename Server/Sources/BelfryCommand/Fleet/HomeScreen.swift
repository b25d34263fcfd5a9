import Belfry

/// What a device shows outside of the app: the notifications that are not opened yet, and the number on the app's icon.
actor HomeScreen: NotificationDisplay, BadgeDisplay {
    /// The maximum number of notifications. Beyond it the oldest are removed, as on a phone.
    private static let maximumNotifications = 100

    /// Whether the user allows the app to show notifications.
    private let showsNotifications: Bool
    private var notifications: [ReceivedPush] = []
    /// The number on the icon; 0 means none.
    private(set) var icon = 0
    /// The highest number that the icon has shown.
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

    /// Taps every notification and removes it. Returns their pushes.
    func open() -> [ReceivedPush] {
        defer { notifications = [] }
        return notifications
    }
}
