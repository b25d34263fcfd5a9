import BelfryModel

/// A device without a screen: Linux, tests, simulations. What happens to it is told by ``send(_:)``.
public final class HeadlessPlatform: DevicePlatform {
    /// Shows notifications by a closure, when one was given.
    public let notifications: (any NotificationDisplay)?
    /// Shows in-app messages, when one was given; ``ScriptedInAppPresenter`` needs no screen.
    public let inAppPresenter: (any InAppPresenter)?
    /// Opens what in-app messages lead to, when one was given.
    public let linkOpener: (any LinkOpener)?

    private let system: Locked<SystemProperties>
    private let permission: Locked<PushPermission?> = Locked(nil)
    private let startsInForeground: Bool
    private let stream: AsyncStream<PlatformEvent>
    private let continuation: AsyncStream<PlatformEvent>.Continuation

    /// - Parameters:
    ///   - system: what the device says about itself.
    ///   - startsInForeground: false for a launch by a silent push.
    ///   - notifications: shows visible pushes; nil when nothing does.
    ///   - inAppPresenter: shows in-app messages; nil when nothing does.
    ///   - linkOpener: opens what in-app messages lead to; nil when nothing does.
    public init(
        system: SystemProperties,
        startsInForeground: Bool = true,
        notifications: (any NotificationDisplay)? = nil,
        inAppPresenter: (any InAppPresenter)? = nil,
        linkOpener: (any LinkOpener)? = nil
    ) {
        self.system = Locked(system)
        self.startsInForeground = startsInForeground
        self.notifications = notifications
        self.inAppPresenter = inAppPresenter
        self.linkOpener = linkOpener
        let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        stream = made.stream
        continuation = made.continuation
    }

    /// What the device says about itself now.
    public func systemProperties() async -> SystemProperties {
        system.withLock { $0 }
    }

    /// As told to the initialiser.
    public func isInForeground() async -> Bool {
        startsInForeground
    }

    /// What ``send(_:)`` sends.
    public func events() -> AsyncStream<PlatformEvent> {
        stream
    }

    /// What ``setPushPermission(_:)`` set last; nil before: then the app tells it to the client.
    public func pushPermission() async -> PushPermission? {
        permission.withLock { $0 }
    }

    /// Changes what the operating system says about pushes, as a person does in its settings. The client notices when
    /// it is started, and when the app is shown: `send(.foreground)`.
    public func setPushPermission(_ permission: PushPermission?) {
        self.permission.withLock { $0 = permission }
    }

    /// Tells the client that something happened; it acts on it soon after.
    public func send(_ event: PlatformEvent) {
        continuation.yield(event)
    }

    /// Changes what the device says about itself and tells the client.
    public func setSystem(_ properties: SystemProperties) {
        system.withLock { $0 = properties }
        send(.systemChanged)
    }
}
