// Stand-in for UIKit; see README.md.
@_exported import Foundation

@MainActor
open class UIResponder {
    public init() {}
}

@MainActor
open class UIView: UIResponder {}

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

    public static var shared: UIApplication { fatalError("a stand-in is never run") }

    public nonisolated static var didBecomeActiveNotification: NSNotification.Name { .init("didBecomeActive") }
    public nonisolated static var didEnterBackgroundNotification: NSNotification.Name { .init("didEnterBackground") }

    public var applicationState: State { fatalError("a stand-in is never run") }

    public func registerForRemoteNotifications() {}

    public nonisolated func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        .invalid
    }

    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}

    public func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}
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
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        .noData
    }

    public static func main() {}
}
