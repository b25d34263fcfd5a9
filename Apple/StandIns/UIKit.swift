// Stand-in for UIKit; see README.md.
@_exported import Foundation

@MainActor
open class UIResponder: Hashable {
    public init() {}

    public nonisolated static func == (one: UIResponder, other: UIResponder) -> Bool { one === other }
    public nonisolated func hash(into hasher: inout Hasher) {}
}

public final class UIEvent {}

public struct UIColor: Hashable, Sendable {
    public static let clear = UIColor()
}

@MainActor
open class UIView: UIResponder {
    public class var noIntrinsicMetric: CGFloat { -1 }

    public var frame = CGRect.zero
    public var bounds = CGRect.zero
    public var backgroundColor: UIColor?
    public var isOpaque = true
    public var isHidden = false
    public var accessibilityElementsHidden = false
    public var accessibilityViewIsModal = false
    public var window: UIWindow? { nil }
    open var intrinsicContentSize: CGSize { .zero }

    public init(frame: CGRect) {}
    public required init?(coder: NSCoder) {}

    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}
    public func setNeedsLayout() {}
    public func layoutIfNeeded() {}
    public func invalidateIntrinsicContentSize() {}
    open func layoutSubviews() {}
    open func didMoveToWindow() {}
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { false }
}

@MainActor
public final class UIScrollView: UIView {
    public enum ContentInsetAdjustmentBehavior: Int, Sendable {
        case automatic
        case never
    }

    public var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
}

public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public enum UIStatusBarStyle: Int, Sendable {
    case `default`
}

@MainActor
open class UIViewController: UIResponder {
    public var view: UIView! { fatalError("a stand-in is never run") }
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { [] }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open var prefersStatusBarHidden: Bool { false }

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    public required init?(coder: NSCoder) {}

    public func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {}

    open func viewDidLoad() {}
    open func viewDidLayoutSubviews() {}
    open func accessibilityPerformEscape() -> Bool { false }
}

@MainActor
public protocol UICoordinateSpace: AnyObject {
    var bounds: CGRect { get }
}

@MainActor
open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case foregroundActive
        case foregroundInactive
        case background
    }

    public nonisolated static var didDisconnectNotification: NSNotification.Name { .init("sceneDidDisconnect") }

    public var activationState: ActivationState { fatalError("a stand-in is never run") }
}

@MainActor
public final class UIWindowScene: UIScene {
    public var windows: [UIWindow] { [] }
    public var coordinateSpace: any UICoordinateSpace { fatalError("a stand-in is never run") }
}

@MainActor
open class UIWindow: UIView {
    public struct Level: RawRepresentable, Hashable, Sendable {
        public static let normal = Level(rawValue: 0)

        public let rawValue: CGFloat

        public init(rawValue: CGFloat) {
            self.rawValue = rawValue
        }

        public static func + (level: Level, more: CGFloat) -> Level { Level(rawValue: level.rawValue + more) }
        public static func - (level: Level, less: CGFloat) -> Level { Level(rawValue: level.rawValue - less) }
    }

    public var windowScene: UIWindowScene?
    public var rootViewController: UIViewController?
    public var windowLevel = Level.normal
    public var isKeyWindow: Bool { false }

    public init(windowScene: UIWindowScene) {
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    public func makeKey() {}
}

@MainActor
public enum UIAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public static let screenChanged = Notification(rawValue: 1000)
        public static let announcement = Notification(rawValue: 1008)

        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }
    }

    public static func post(notification: Notification, argument: Any?) {}
}

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

    public nonisolated static var openNotificationSettingsURLString: String { "" }

    public var applicationState: State { fatalError("a stand-in is never run") }
    public var connectedScenes: Set<UIScene> { [] }
    public var applicationIconBadgeNumber: Int { 0 }

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

    @discardableResult
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool { false }
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
