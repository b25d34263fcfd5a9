import BelfryModel
import Foundation

/// An event of the platform.
public enum PlatformEvent: Hashable, Sendable {
    /// The app is shown.
    case foreground
    /// The app is no longer shown and may be suspended soon.
    case background
    /// The network became available or unavailable. Only a change from unavailable to available ends a back-off.
    case online(Bool)
    /// The time zone, the locale or another system property may have changed (REG-5).
    case systemChanged
}

/// The device that the SDK runs on.
public protocol DevicePlatform: Sendable {
    /// The system's own fields of the contact record, as they are now.
    func systemProperties() async -> SystemProperties
    /// Whether the app is shown now. False for a launch by a silent push: it begins no session and sends no
    /// registration.
    func isInForeground() async -> Bool
    /// The events from now on. It is called once.
    func events() -> AsyncStream<PlatformEvent>
    /// The operating system's permission for pushes. It is read at every start and whenever the app is shown, to notice
    /// changes in the system's settings. Nil where the system has no call for it: then the app calls
    /// ``BelfryClient/setPushPermission(_:)``.
    func pushPermission() async -> PushPermission?
    /// Requests a push token from the system; nil where the app sets its token itself.
    var pushTokens: (any PushTokenSource)? { get }
    /// Shows notifications where the app does that itself; nil where the system does.
    var notifications: (any NotificationDisplay)? { get }
    /// Shows a number on the app's icon; nil where there is none.
    var badge: (any BadgeDisplay)? { get }
    /// The list of pushes that the system has shown; nil where there is none.
    var deliveredPushes: (any DeliveredPushes)? { get }
    /// Informs the app about new messages in the platform's own way; nil where there is none.
    var messageCenterListener: (any MessageCenterListener)? { get }
    /// Shows in-app messages; nil where there is no screen for them: then none are fetched, until the app asks for
    /// them.
    var inAppPresenter: (any InAppPresenter)? { get }
    /// Opens addresses of in-app messages; nil where nothing can be opened: then the app does it
    /// (``InAppMessageDelegate/handle(_:of:)``).
    var linkOpener: (any LinkOpener)? { get }
    /// Keeps the process running while events are sent; nil where background processes are not suspended.
    var backgroundTime: (any BackgroundTime)? { get }
}

extension DevicePlatform {
    /// Nil: the app sets it.
    public func pushPermission() async -> PushPermission? { nil }
    /// Nil: the app sets its token itself.
    public var pushTokens: (any PushTokenSource)? { nil }
    /// Nil: the system shows notifications.
    public var notifications: (any NotificationDisplay)? { nil }
    /// Nil: the icon shows no number.
    public var badge: (any BadgeDisplay)? { nil }
    /// Nil: there is no list of shown notifications.
    public var deliveredPushes: (any DeliveredPushes)? { nil }
    /// Nil: the app listens to the client's own streams.
    public var messageCenterListener: (any MessageCenterListener)? { nil }
    /// Nil: in-app messages are not shown.
    public var inAppPresenter: (any InAppPresenter)? { nil }
    /// Nil: the app opens addresses.
    public var linkOpener: (any LinkOpener)? { nil }
    /// Nil: the process is not suspended.
    public var backgroundTime: (any BackgroundTime)? { nil }
}

/// Asks the system for a push token. It is asked only after the operating system granted pushes (REG-30).
public protocol PushTokenSource: Sendable {
    /// Requests a token. The system delivers it to the app, which passes it to the client.
    func requestPushToken() async
}

/// Shows a notification to the person.
public protocol NotificationDisplay: Sendable {
    /// - Returns: whether it was shown.
    func display(_ push: ReceivedPush) async -> Bool
}

/// Shows a number on the app's icon.
public protocol BadgeDisplay: Sendable {
    /// - Parameter count: 0 removes the badge.
    /// - Returns: whether the system accepted it.
    @discardableResult
    func showBadge(_ count: Int) async -> Bool
    /// The number that the icon shows now, whoever put it there, 0 for none (BADGE-6); nil where the system cannot be
    /// asked.
    func shownBadge() async -> Int?
}

extension BadgeDisplay {
    /// Nil: the system cannot be asked.
    public func shownBadge() async -> Int? { nil }
}

/// The system's list of notifications that it has shown and the person has neither opened nor dismissed.
public protocol DeliveredPushes: Sendable {
    /// Belfry's notifications in the list, in any order. The app is not informed about those that the system has shown
    /// by itself, so they are read here whenever the app is shown (MC-4, BADGE-5).
    func pushes() async -> [ReceivedPush]
    /// Removes Belfry's notifications, and no others, when the person has changed (ID-4, REG-36).
    func removePushes() async
    /// Removes all of the app's notifications, also those that are not from Belfry, when the badge is 0 (BADGE-3).
    func removeAll() async
}

/// Opens addresses of in-app messages, if the app does not do that itself (IAM-12).
public protocol LinkOpener: Sendable {
    /// - Parameter url: of a scheme that the configuration allows.
    /// - Returns: whether the system could open it.
    @discardableResult
    func open(_ url: URL) async -> Bool
    /// Opens the system's settings for this app's notifications.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    func openPushSettings() async -> Bool
}

/// The time that a system grants an app in the background (EVT-2).
///
/// A platform with such a time begins it itself, before it sends ``PlatformEvent/background``, because a moment later
/// the app may be suspended. The client ends each time once, by its id.
public protocol BackgroundTime: Sendable {
    /// Work begins while the app is not shown, for example for a silent push.
    ///
    /// - Returns: the id of the time that was granted; nil when none was.
    func begin() async -> BackgroundTimeID?
    /// Returns the time that the platform began itself before it sent ``PlatformEvent/background``; called once after
    /// each such event, in their order.
    ///
    /// - Returns: nil when none was granted.
    func begunByPlatform() async -> BackgroundTimeID?
    /// The events were sent, or have to wait: the time is no longer needed. It may already be over.
    func end(_ id: BackgroundTimeID) async
}

/// The id of a time that a system has granted.
public struct BackgroundTimeID: Hashable, Sendable {
    /// The platform's own number for the time.
    public let number: Int

    /// Creates the id from the platform's number.
    public init(_ number: Int) {
        self.number = number
    }
}

/// The operating system's permission for pushes of this app.
public enum PushPermission: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person was never asked.
    case notAsked
    /// The person denied it, when asked or later in the system's settings.
    case denied
    /// The person granted it, or the system shows pushes quietly until the person decides.
    case granted

    /// The value in the contact record.
    var osPushEnabled: Bool? {
        switch self {
        case .notAsked: nil
        case .denied: false
        case .granted: true
        }
    }
}

extension ContactRecord {
    /// Stores the operating system's permission. `notAsked` is not the same as an unknown permission: with `notAsked`,
    /// no token is reported (REG-30).
    mutating func take(_ permission: PushPermission) {
        osPushEnabled = permission.osPushEnabled
        osPushIsUnasked = permission == .notAsked
    }
}
