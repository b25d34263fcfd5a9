import BelfryModel
import Foundation

/// Something that the platform tells the SDK.
public enum PlatformEvent: Hashable, Sendable {
    /// The app is shown.
    case foreground
    /// The app is no longer shown and may be suspended soon.
    case background
    /// The network came or went. Only one that went before ends a wait when it comes.
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
    /// What the operating system says about pushes now. It is asked at every start and whenever the app is shown, so
    /// that a change in the system's settings is noticed. Nil where the system cannot be asked: then the app tells it
    /// by ``BelfryClient/setPushPermission(_:)``.
    func pushPermission() async -> PushPermission?
    /// Asks the system for a push token; nil where the app brings its token itself.
    var pushTokens: (any PushTokenSource)? { get }
    /// Shows notifications where the app does that itself; nil where the system does.
    var notifications: (any NotificationDisplay)? { get }
    /// Shows a number on the app's icon; nil where there is none.
    var badge: (any BadgeDisplay)? { get }
    /// The list of pushes that the system has shown; nil where there is none.
    var deliveredPushes: (any DeliveredPushes)? { get }
    /// Hears of new messages, to tell the app in the platform's own way; nil where there is none.
    var messageCenterListener: (any MessageCenterListener)? { get }
    /// Shows in-app messages; nil where there is no screen for them: then none are fetched, until the app asks for them.
    var inAppPresenter: (any InAppPresenter)? { get }
    /// Opens what an in-app message leads to; nil where nothing can be opened: then the app does it
    /// (``InAppMessageDelegate/handle(_:of:)``).
    var linkOpener: (any LinkOpener)? { get }
    /// Keeps the process running while events leave; nil where a process in the background runs on.
    var backgroundTime: (any BackgroundTime)? { get }
}

extension DevicePlatform {
    /// Nil: the app tells it.
    public func pushPermission() async -> PushPermission? { nil }
    /// None: the app brings its token itself.
    public var pushTokens: (any PushTokenSource)? { nil }
    /// None: the system shows notifications.
    public var notifications: (any NotificationDisplay)? { nil }
    /// None: the icon shows no number.
    public var badge: (any BadgeDisplay)? { nil }
    /// None: what was shown is not kept in a list.
    public var deliveredPushes: (any DeliveredPushes)? { nil }
    /// None: the app listens to the client's own streams.
    public var messageCenterListener: (any MessageCenterListener)? { nil }
    /// None: in-app messages are not shown.
    public var inAppPresenter: (any InAppPresenter)? { nil }
    /// None: the app opens what a message leads to.
    public var linkOpener: (any LinkOpener)? { nil }
    /// None: the process runs on.
    public var backgroundTime: (any BackgroundTime)? { nil }
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

/// Shows a number on the app's icon.
public protocol BadgeDisplay: Sendable {
    /// - Parameter count: 0 takes the badge away.
    /// - Returns: whether the system took it.
    @discardableResult
    func showBadge(_ count: Int) async -> Bool
}

/// The list in which a system keeps the notifications that it has shown, until the person opens or dismisses them.
public protocol DeliveredPushes: Sendable {
    /// Ours that stand in it, in any order. Nobody tells the app of those that the system has shown by itself, so their
    /// badges are read here whenever the app is shown (BADGE-5).
    func pushes() async -> [ReceivedPush]
    /// Takes ours out of it, and leaves those of others: a person has left (ID-4, REG-36).
    func removePushes() async
    /// Takes all of the app's notifications out of it, whoever sent them: the badge is 0 (BADGE-3).
    func removeAll() async
}

/// Opens what an in-app message leads to, when the app does not do that itself (IAM-12).
public protocol LinkOpener: Sendable {
    /// - Parameter url: of a scheme that the configuration allows.
    /// - Returns: whether the system found somebody to open it.
    @discardableResult
    func open(_ url: URL) async -> Bool
    /// Opens the place in the system's settings where the person allows this app's pushes.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    func openPushSettings() async -> Bool
}

/// The seconds for which a system lets an app run on that is not shown (EVT-2).
///
/// A platform that has them begins them itself, before it tells ``PlatformEvent/background``: a moment later the app may
/// be suspended. The client ends each once, by its own name.
public protocol BackgroundTime: Sendable {
    /// Work begins while the app is not shown, such as that of a silent push.
    ///
    /// - Returns: the name of the time that was granted; nil when none was.
    func begin() async -> BackgroundTimeID?
    /// The time that the platform began itself before it told ``PlatformEvent/background``, asked for once after each
    /// such event, in their order.
    ///
    /// - Returns: nil when none was granted.
    func begunByPlatform() async -> BackgroundTimeID?
    /// What waited was sent, or has to wait: that time is no longer needed. One that is over already is no fault.
    func end(_ id: BackgroundTimeID) async
}

/// Names one time that a system has granted.
public struct BackgroundTimeID: Hashable, Sendable {
    /// The platform's own number for it.
    public let number: Int

    /// Takes the platform's number.
    public init(_ number: Int) {
        self.number = number
    }
}

/// What the operating system says about pushes of this app.
public enum PushPermission: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person was never asked.
    case notAsked
    /// The person said no, in the question or later in the system's settings.
    case denied
    /// The person said yes, or the system shows pushes quietly until the person decides.
    case granted

    /// As the contact record keeps it.
    var osPushEnabled: Bool? {
        switch self {
        case .notAsked: nil
        case .denied: false
        case .granted: true
        }
    }
}

extension ContactRecord {
    /// Takes the operating system's answer. "Not asked" is more than not to know: then no token is reported (REG-30).
    mutating func take(_ permission: PushPermission) {
        osPushEnabled = permission.osPushEnabled
        osPushIsUnasked = permission == .notAsked
    }
}
