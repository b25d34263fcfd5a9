// Stand-in for UIKit; see README.md.
import Foundation

@MainActor
public final class UIApplication {
    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    public static var shared: UIApplication { fatalError("a stand-in is never run") }

    public nonisolated static var didBecomeActiveNotification: NSNotification.Name { .init("didBecomeActive") }
    public nonisolated static var didEnterBackgroundNotification: NSNotification.Name { .init("didEnterBackground") }

    public var applicationState: State { fatalError("a stand-in is never run") }

    public func registerForRemoteNotifications() {}
}
