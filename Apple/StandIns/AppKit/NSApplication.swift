// Stand-in for AppKit; see ../README.md.
@_exported import Foundation

@MainActor
public final class NSApplication {
    public static private(set) var shared = NSApplication()

    public nonisolated static var didBecomeActiveNotification: NSNotification.Name {
        .init("NSApplicationDidBecomeActiveNotification")
    }
    public nonisolated static var didResignActiveNotification: NSNotification.Name {
        .init("NSApplicationDidResignActiveNotification")
    }

    public weak var delegate: (any NSApplicationDelegate)?
    public private(set) var isActive = false
    public internal(set) var windows: [NSWindow] = []
    public internal(set) weak var keyWindow: NSWindow?
    public internal(set) weak var mainWindow: NSWindow?

    // What a test sets and reads.

    /// The system's answer to a registration; nil when it does not answer.
    public var tokenAnswer: Result<Data, any Error>?
    public private(set) var registrations = 0

    public static func restart() {
        shared = NSApplication()
        NSAccessibility.restart()
        NSWorkspace.restart()
    }

    /// The person switches to the app, and away from it; the app hears of both (pages didBecomeActiveNotification and
    /// didResignActiveNotification).
    public func activate() {
        isActive = true
        NotificationCenter.default.post(name: Self.didBecomeActiveNotification, object: self)
    }

    public func deactivate() {
        isActive = false
        NotificationCenter.default.post(name: Self.didResignActiveNotification, object: self)
    }

    /// The delegate hears how the registration ended (page registerForRemoteNotifications()).
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
}

// On Apple's systems its methods are optional; here each has a default.
@MainActor
public protocol NSApplicationDelegate: AnyObject {
    func applicationDidFinishLaunching(_ notification: Notification)
    func application(
        _ application: NSApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    func application(
        _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    )
    func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any])
}

extension NSApplicationDelegate {
    public func applicationDidFinishLaunching(_ notification: Notification) {}
    public func application(
        _ application: NSApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    public func application(
        _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
    public func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]) {}
    public static func main() {}
}

/// It opens addresses with the app that handles them, and says whether there was one (page open(_:)).
@MainActor
public final class NSWorkspace {
    public static private(set) var shared = NSWorkspace()

    public var openableSchemes: Set<String> = ["http", "https", "x-apple.systempreferences"]
    public private(set) var opened: [URL] = []

    static func restart() {
        shared = NSWorkspace()
    }

    @discardableResult
    public func open(_ url: URL) -> Bool {
        guard openableSchemes.contains(url.scheme?.lowercased() ?? "") else { return false }
        opened.append(url)
        return true
    }
}

public enum NSAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public static let announcementRequested = Notification(rawValue: "AXAnnouncementRequested")
        public static let layoutChanged = Notification(rawValue: "AXLayoutChanged")

        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public struct NotificationUserInfoKey: RawRepresentable, Hashable, Sendable {
        public static let announcement = NotificationUserInfoKey(rawValue: "AXAnnouncementKey")

        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// What assistive technology was told, in order.
    @MainActor
    public private(set) static var posts: [(notification: Notification, text: String?)] = []

    @MainActor
    public static func post(
        element: Any, notification: Notification, userInfo: [NotificationUserInfoKey: Any]? = nil
    ) {
        posts.append((notification, userInfo?[.announcement] as? String))
    }

    @MainActor
    static func restart() {
        posts = []
    }
}
