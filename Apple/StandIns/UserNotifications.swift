// Stand-in for UserNotifications; see README.md.
@_exported import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)

    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)

    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined
    case denied
    case authorized
    case provisional
    case ephemeral
}

public final class UNNotificationSettings {
    public var authorizationStatus: UNAuthorizationStatus { .notDetermined }
}

public final class UNNotification {
    public var request: UNNotificationRequest { fatalError("a stand-in is never run") }
}

public final class UNNotificationRequest {
    public var identifier: String { "" }
    public var content: UNNotificationContent { fatalError("a stand-in is never run") }
}

public final class UNNotificationContent {
    public var userInfo: [AnyHashable: Any] { [:] }
}

public final class UNNotificationResponse {
    public var notification: UNNotification { fatalError("a stand-in is never run") }
    public var actionIdentifier: String { "" }
}

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

public final class UNUserNotificationCenter {
    public static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }

    public weak var delegate: (any UNUserNotificationCenterDelegate)?

    public func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings() }
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { false }
    public func setBadgeCount(_ newBadgeCount: Int) async throws {}
    public func deliveredNotifications() async -> [UNNotification] { [] }
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
    public func removeAllDeliveredNotifications() {}
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
