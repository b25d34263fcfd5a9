import BelfryModel

/// A device without a screen: Linux, tests, simulations. ``send(_:)`` sends its events.
public final class HeadlessPlatform: DevicePlatform {
    /// Shows notifications by a closure, if one was given.
    public let notifications: (any NotificationDisplay)?
    /// Shows the number on the app's icon, if one was given.
    public let badge: (any BadgeDisplay)?
    /// Shows in-app messages, if one was given; ``ScriptedInAppPresenter`` needs no screen.
    public let inAppPresenter: (any InAppPresenter)?
    /// Opens addresses of in-app messages, if one was given.
    public let linkOpener: (any LinkOpener)?

    private let system: Locked<SystemProperties>
    private let permission: Locked<PushPermission?> = Locked(nil)
    private let startsInForeground: Bool
    private let stream: AsyncStream<PlatformEvent>
    private let continuation: AsyncStream<PlatformEvent>.Continuation

    /// - Parameters:
    ///   - system: the properties of the device.
    ///   - startsInForeground: false for a launch by a silent push.
    ///   - notifications: shows visible pushes; nil when nothing does.
    ///   - badge: shows the number on the app's icon; nil when there is none.
    ///   - inAppPresenter: shows in-app messages; nil when nothing does.
    ///   - linkOpener: opens addresses of in-app messages; nil when nothing does.
    public init(
        system: SystemProperties,
        startsInForeground: Bool = true,
        notifications: (any NotificationDisplay)? = nil,
        badge: (any BadgeDisplay)? = nil,
        inAppPresenter: (any InAppPresenter)? = nil,
        linkOpener: (any LinkOpener)? = nil
    ) {
        self.system = Locked(system)
        self.startsInForeground = startsInForeground
        self.notifications = notifications
        self.badge = badge
        self.inAppPresenter = inAppPresenter
        self.linkOpener = linkOpener
        let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        stream = made.stream
        continuation = made.continuation
    }

    /// The present properties of the device.
    public func systemProperties() async -> SystemProperties {
        system.withLock { $0 }
    }

    /// The value that was passed to the initializer.
    public func isInForeground() async -> Bool {
        startsInForeground
    }

    /// The events of ``send(_:)``.
    public func events() -> AsyncStream<PlatformEvent> {
        stream
    }

    /// The permission set with ``setPushPermission(_:)``; nil before that: then the app passes it to the client.
    public func pushPermission() async -> PushPermission? {
        permission.withLock { $0 }
    }

    /// Changes the operating system's permission for pushes, as a person does in its settings. The client notices when
    /// it is started, and when the app is shown: `send(.foreground)`.
    public func setPushPermission(_ permission: PushPermission?) {
        self.permission.withLock { $0 = permission }
    }

    /// Sends an event to the client, which processes it soon after.
    public func send(_ event: PlatformEvent) {
        continuation.yield(event)
    }

    /// Changes the properties of the device and tells the client.
    public func setSystem(_ properties: SystemProperties) {
        system.withLock { $0 = properties }
        send(.systemChanged)
    }
}
