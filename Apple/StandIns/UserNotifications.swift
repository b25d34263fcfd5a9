// Stand-in for UserNotifications; see README.md.
import Foundation

public final class UNNotification {
    public var request: UNNotificationRequest { fatalError("a stand-in is never run") }
}

public final class UNNotificationRequest {
    public var content: UNNotificationContent { fatalError("a stand-in is never run") }
}

public final class UNNotificationContent {
    public var userInfo: [AnyHashable: Any] { [:] }
}

public final class UNNotificationResponse {
    public var notification: UNNotification { fatalError("a stand-in is never run") }
    public var actionIdentifier: String { "" }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
