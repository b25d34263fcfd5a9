#if canImport(UIKit) && !os(watchOS)
    import Foundation
    import UIKit

    /// The shared application object of the system.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    enum SystemApplication {
        nonisolated static let didBecomeActive = UIApplication.didBecomeActiveNotification
        nonisolated static let didLeave = UIApplication.didEnterBackgroundNotification

        static var isActive: Bool {
            UIApplication.shared.applicationState == .active
        }

        /// The number on the app's icon.
        static var shownBadge: Int? { UIApplication.shared.applicationIconBadgeNumber }

        static func registerForRemoteNotifications() {
            UIApplication.shared.registerForRemoteNotifications()
        }
    }
#elseif canImport(AppKit)
    import AppKit
    import Foundation

    /// The shared application object of the system.
    @MainActor
    enum SystemApplication {
        // By name, because AppKit's constants belong to the main actor.
        nonisolated static let didBecomeActive = Notification.Name("NSApplicationDidBecomeActiveNotification")
        // A Mac's app keeps running in the background; its session ends when the person switches to another app.
        nonisolated static let didLeave = Notification.Name("NSApplicationDidResignActiveNotification")

        static var isActive: Bool {
            NSApplication.shared.isActive
        }

        /// Nil: the Dock does not say which badge it shows.
        static var shownBadge: Int? { nil }

        static func registerForRemoteNotifications() {
            NSApplication.shared.registerForRemoteNotifications()
        }
    }
#endif
