import Foundation

/// The part of the system that a test plays: what the person sees and decides, and the notifications that arrive.
// Unchecked: its state is accessed under its lock only.
public final class NotificationScreen: @unchecked Sendable {
    public static let shared = NotificationScreen()

    public struct State {
        public var status = UNAuthorizationStatus.notDetermined
        /// The person's decision at the first prompt.
        public var grants = true
        public var promptError: UNError?
        public var takesBadges = true
        public internal(set) var prompts: [UNAuthorizationOptions] = []
        public internal(set) var badge = 0
        public internal(set) var delivered: [UNNotification] = []
        weak var delegate: (any UNUserNotificationCenterDelegate)?
    }

    private let lock = NSLock()
    private var state = State()

    public func read<Output>(_ body: (State) throws -> Output) rethrows -> Output {
        try lock.withLock { try body(state) }
    }

    @discardableResult
    public func change<Output>(_ body: (inout State) throws -> Output) rethrows -> Output {
        try lock.withLock { try body(&state) }
    }

    /// A new process on a new device.
    public func restart() {
        change { $0 = State() }
    }

    /// A request as the system makes it of a remote notification: the texts of the alert, the badge, and all of the
    /// payload as `userInfo` (page "Generating a remote notification").
    public static func request(_ identifier: String, _ userInfo: [AnyHashable: Any]) -> UNNotificationRequest {
        let aps = userInfo["aps"] as? [String: Any]
        let alert = aps?["alert"] as? [String: Any]
        var fields = UNNotificationContent.Fields()
        fields.title = alert?["title"] as? String ?? ""
        fields.subtitle = alert?["subtitle"] as? String ?? ""
        fields.body = alert?["body"] as? String ?? aps?["alert"] as? String ?? ""
        fields.badge = (aps?["badge"] as? Int).map { NSNumber(value: $0) }
        fields.sound = aps?["sound"] == nil ? nil : .default
        fields.categoryIdentifier = aps?["category"] as? String ?? ""
        fields.threadIdentifier = aps?["thread-id"] as? String ?? ""
        fields.userInfo = userInfo
        return UNNotificationRequest(identifier: identifier, content: UNNotificationContent(fields))
    }

    /// A notification arrives while the app is not in front: the system shows it, with its badge, and tells nobody.
    public func show(_ request: UNNotificationRequest) {
        change { screen in
            screen.delivered.removeAll { $0.request.identifier == request.identifier }
            screen.delivered.append(UNNotification(request))
            if let badge = request.content.badge { screen.badge = badge.intValue }
        }
    }

    /// A notification arrives while the app is in front: the delegate is asked, and it is shown as the handler says
    /// (page userNotificationCenter(_:willPresent:withCompletionHandler:)).
    @MainActor
    public func present(_ request: UNNotificationRequest) async -> UNNotificationPresentationOptions {
        let notification = UNNotification(request)
        guard let delegate = read({ $0.delegate }) else { return [] }
        let options = await withCheckedContinuation { continuation in
            delegate.userNotificationCenter(.current(), willPresent: notification) { options in
                continuation.resume(returning: options)
            }
        }
        change { screen in
            if options.contains(.list) { screen.delivered.append(notification) }
            if options.contains(.badge), let badge = request.content.badge { screen.badge = badge.intValue }
        }
        return options
    }

    /// The person opens a notification of the list, presses a button or dismisses it; it leaves the list, and the
    /// delegate hears of it (page userNotificationCenter(_:didReceive:withCompletionHandler:)).
    ///
    /// - Returns: false when no such notification is in the list.
    @MainActor
    public func respond(to identifier: String, with action: String) async -> Bool {
        let found = change { screen -> UNNotification? in
            defer { screen.delivered.removeAll { $0.request.identifier == identifier } }
            return screen.delivered.first { $0.request.identifier == identifier }
        }
        guard let found, let delegate = read({ $0.delegate }) else { return false }
        let response = UNNotificationResponse(found, action: action)
        await withCheckedContinuation { continuation in
            delegate.userNotificationCenter(.current(), didReceive: response) { continuation.resume() }
        }
        return true
    }
}
