#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import UIKit
    import UserNotifications

    /// Opens addresses and settings with the system.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    struct AppleLinkOpener: LinkOpener {
        nonisolated init() {}

        func open(_ url: URL) async -> Bool {
            await UIApplication.shared.open(url, options: [:])
        }

        /// If the person was never asked, asks them; otherwise only the settings can change the permission.
        func openPushSettings() async -> Bool {
            let center = UNUserNotificationCenter.current()
            if await center.notificationSettings().authorizationStatus == .notDetermined {
                let response = try? await center.requestAuthorization(options: [.alert, .badge, .sound])
                return response != nil
            }
            guard let settings = URL(string: UIApplication.openNotificationSettingsURLString) else { return false }
            return await open(settings)
        }
    }
#elseif canImport(AppKit)
    import AppKit
    import UserNotifications

    /// Opens addresses and settings with the system.
    @MainActor
    struct AppleLinkOpener: LinkOpener {
        nonisolated init() {}

        func open(_ url: URL) async -> Bool {
            NSWorkspace.shared.open(url)
        }

        /// If the person was never asked, asks them; otherwise only the settings can change the permission.
        func openPushSettings() async -> Bool {
            let center = UNUserNotificationCenter.current()
            if await center.notificationSettings().authorizationStatus == .notDetermined {
                let response = try? await center.requestAuthorization(options: [.alert, .badge, .sound])
                return response != nil
            }
            guard let settings = URL(string: "x-apple.systempreferences:com.apple.preference.notifications") else {
                return false
            }
            return await open(settings)
        }
    }
#endif
