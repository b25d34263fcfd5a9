import Foundation

// On Apple's systems its methods are optional; here they are not, so that a wrong signature is found.
public protocol UNUserNotificationCenterDelegate: AnyObject {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    )

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    )
}

/// The app's notification center: one for the process, for any thread (page UNUserNotificationCenter).
public final class UNUserNotificationCenter {
    public static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }

    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { NotificationScreen.shared.read { $0.delegate } }
        set { NotificationScreen.shared.change { $0.delegate = newValue } }
    }

    /// The status is what the person chose last, also in the system's settings (page UNNotificationSettings).
    public func notificationSettings() async -> UNNotificationSettings {
        UNNotificationSettings(NotificationScreen.shared.read { $0.status })
    }

    /// The system asks the person the first time only and remembers the answer; provisional authorisation is granted
    /// without a question (page "Asking permission to use notifications").
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try NotificationScreen.shared.change { screen in
            screen.prompts.append(options)
            if let error = screen.promptError { throw error }
            if screen.status == .notDetermined {
                let isQuiet = options.contains(.provisional)
                screen.status = isQuiet ? .provisional : screen.grants ? .authorized : .denied
            }
            return screen.status != .denied
        }
    }

    /// 0 removes the badge. It fails for a number that is none, and where notifications are not allowed (page
    /// setBadgeCount(_:withCompletionHandler:), UNError.Code).
    public func setBadgeCount(_ newBadgeCount: Int) async throws {
        try NotificationScreen.shared.change { screen in
            guard newBadgeCount >= 0 else { throw UNError(.badgeInputInvalid) }
            guard screen.takesBadges else { throw UNError(.notificationsNotAllowed) }
            screen.badge = newBadgeCount
        }
    }

    /// Those that are still in Notification Center (page getDeliveredNotifications(completionHandler:)).
    public func deliveredNotifications() async -> [UNNotification] {
        NotificationScreen.shared.read { $0.delivered }
    }

    /// It ignores identifiers that it does not know (page removeDeliveredNotifications(withIdentifiers:)).
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        NotificationScreen.shared.change { screen in
            screen.delivered.removeAll { identifiers.contains($0.request.identifier) }
        }
    }

    public func removeAllDeliveredNotifications() {
        NotificationScreen.shared.change { $0.delivered = [] }
    }
}
