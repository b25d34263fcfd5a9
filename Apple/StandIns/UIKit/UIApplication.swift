// Stand-in for UIKit; see ../README.md.
import Foundation
import UserNotifications

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)

    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData
    case noData
    case failed
}

@MainActor
public final class UIApplication: UIResponder {
    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public static private(set) var shared = UIApplication()

    public nonisolated static var didBecomeActiveNotification: NSNotification.Name {
        .init("UIApplicationDidBecomeActiveNotification")
    }
    public nonisolated static var didEnterBackgroundNotification: NSNotification.Name {
        .init("UIApplicationDidEnterBackgroundNotification")
    }
    public nonisolated static var openNotificationSettingsURLString: String { "app-settings:notifications" }

    public weak var delegate: (any UIApplicationDelegate)?
    public private(set) var applicationState = State.background
    public internal(set) var connectedScenes: Set<UIScene> = []

    /// The number on the icon, whoever put it there (page applicationIconBadgeNumber).
    public var applicationIconBadgeNumber: Int { NotificationScreen.shared.read { $0.badge } }

    // What a test sets and reads.

    /// The system's answer to a registration; nil when it does not answer, as without a network.
    public var tokenAnswer: Result<Data, any Error>?
    public private(set) var registrations = 0
    /// The schemes for which the device has an app.
    public var openableSchemes: Set<String> = ["http", "https", "app-settings"]
    public private(set) var opened: [URL] = []
    public nonisolated let backgroundTasks = BackgroundTaskBoard()

    /// A new process, not shown yet.
    public static func restart() {
        shared = UIApplication()
        UIAccessibility.restart()
    }

    /// A person opens the app: it becomes active with a scene, and hears of it (page didBecomeActiveNotification).
    public func becomeActive() {
        if connectedScenes.isEmpty { connectedScenes = [UIWindowScene()] }
        applicationState = .active
        for scene in connectedScenes { scene.activationState = .foregroundActive }
        NotificationCenter.default.post(name: Self.didBecomeActiveNotification, object: self)
    }

    /// A system dialog covers the app: it is shown and inactive (page applicationState).
    public func resignActive() {
        applicationState = .inactive
        for scene in connectedScenes { scene.activationState = .foregroundInactive }
    }

    /// The person leaves the app. The system waits until the notification was handled, and then suspends a process
    /// without a background task (page "Extending your app's background execution time").
    public func enterBackground() {
        applicationState = .background
        for scene in connectedScenes { scene.activationState = .background }
        NotificationCenter.default.post(name: Self.didEnterBackgroundNotification, object: self)
    }

    /// It initiates the registration; the delegate hears how it ended (page registerForRemoteNotifications()).
    public func registerForRemoteNotifications() {
        registrations += 1
        guard let tokenAnswer else { return }
        switch tokenAnswer {
        case .success(let token):
            delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
        case .failure(let error):
            delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
        }
    }

    /// `invalid` where running in the background is not possible (page
    /// beginBackgroundTask(withName:expirationHandler:)); it may be called from any thread.
    public nonisolated func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        backgroundTasks.begin(handler)
    }

    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        backgroundTasks.end(identifier)
    }

    /// The handler hears whether the system could open the address (page open(_:options:completionHandler:)).
    public func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        let isOpen = openableSchemes.contains(url.scheme?.lowercased() ?? "")
        if isOpen { opened.append(url) }
        completionHandler?(isOpen)
    }

    @discardableResult
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }
}

/// The background tasks of a process.
// Unchecked: its state is accessed under its lock only.
public final class BackgroundTaskBoard: @unchecked Sendable {
    private let lock = NSLock()
    private var numbers = 0
    private var running: [UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?] = [:]
    private var refuses = false

    /// Whether tasks are refused, as where the app may not run in the background.
    public var isRefusing: Bool {
        get { lock.withLock { refuses } }
        set { lock.withLock { refuses = newValue } }
    }
    /// How many were ever granted, and how many run.
    public var granted: Int { lock.withLock { numbers } }
    public var runningCount: Int { lock.withLock { running.count } }

    fileprivate func begin(_ handler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier {
        lock.withLock {
            guard !refuses else { return .invalid }
            numbers += 1
            let id = UIBackgroundTaskIdentifier(rawValue: numbers)
            running.updateValue(handler, forKey: id)
            return id
        }
    }

    fileprivate func end(_ id: UIBackgroundTaskIdentifier) {
        lock.withLock { _ = running.removeValue(forKey: id) }
    }

    /// The time is over: the handlers run on the main thread, and the system kills a process that does not end its
    /// tasks in them.
    ///
    /// - Returns: whether the process lives.
    @MainActor
    public func expire() -> Bool {
        for handler in lock.withLock({ Array(running.values) }) { handler?() }
        return runningCount == 0
    }
}

// On Apple's systems its methods are optional; here each has a default.
@MainActor
public protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
}

extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        true
    }

    public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}

    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        .noData
    }

    public static func main() {}
}
