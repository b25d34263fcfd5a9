#if canImport(UIKit) && !os(watchOS)
    import Foundation
    import UIKit

    /// The app's one object of the system.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    enum SystemApplication {
        nonisolated static let didBecomeActive = UIApplication.didBecomeActiveNotification
        nonisolated static let didLeave = UIApplication.didEnterBackgroundNotification

        static var isActive: Bool {
            UIApplication.shared.applicationState == .active
        }

        static func registerForRemoteNotifications() {
            UIApplication.shared.registerForRemoteNotifications()
        }
    }
#elseif canImport(AppKit)
    import AppKit
    import Foundation

    /// The app's one object of the system.
    @MainActor
    enum SystemApplication {
        // By their names: AppKit's constants belong to the main actor.
        nonisolated static let didBecomeActive = Notification.Name("NSApplicationDidBecomeActiveNotification")
        // A Mac's app goes on running in the background; for a session it is over when the person turns to another.
        nonisolated static let didLeave = Notification.Name("NSApplicationDidResignActiveNotification")

        static var isActive: Bool {
            NSApplication.shared.isActive
        }

        static func registerForRemoteNotifications() {
            NSApplication.shared.registerForRemoteNotifications()
        }
    }
#endif
