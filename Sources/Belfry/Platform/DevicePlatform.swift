import BelfryModel

/// Something that the platform tells the SDK.
public enum PlatformEvent: Hashable, Sendable {
    /// The app is shown.
    case foreground
    /// The app is no longer shown and may be suspended soon.
    case background
    /// The network came or went.
    case online(Bool)
    /// The time zone, the locale or another system property may have changed (REG-5).
    case systemChanged
}

/// What the SDK needs to know about the device that it runs on.
public protocol DevicePlatform: Sendable {
    /// The system's own fields of the contact record, as they are now.
    func systemProperties() async -> SystemProperties
    /// Whether the app is shown now. A launch by a silent push is not: it is no session and sends no registration.
    func isInForeground() async -> Bool
    /// What happens from now on; called once.
    func events() -> AsyncStream<PlatformEvent>
    /// Asks the system for a push token; nil where the app brings its token itself.
    var pushTokens: (any PushTokenSource)? { get }
    /// Shows notifications where the app does that itself; nil where the system does.
    var notifications: (any NotificationDisplay)? { get }
}

extension DevicePlatform {
    /// None: the app brings its token itself.
    public var pushTokens: (any PushTokenSource)? { nil }
    /// None: the system shows notifications.
    public var notifications: (any NotificationDisplay)? { nil }
}

/// Asks the system for a push token. It is asked only after the operating system granted pushes (REG-30).
public protocol PushTokenSource: Sendable {
    /// Asks; the token arrives where the system delivers it, and the app hands it to the client.
    func requestPushToken() async
}

/// Shows a notification to the person.
public protocol NotificationDisplay: Sendable {
    /// - Returns: whether it was shown.
    func display(_ push: ReceivedPush) async -> Bool
}
