#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import UIKit
    import UserNotifications

    /// Opens addresses and settings as the system does.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    struct AppleLinkOpener: LinkOpener {
        nonisolated init() {}

        func open(_ url: URL) async -> Bool {
            await UIApplication.shared.open(url, options: [:])
        }

        /// Who was never asked is asked; after a no only the settings can change it.
        func openPushSettings() async -> Bool {
            let center = UNUserNotificationCenter.current()
            if await center.notificationSettings().authorizationStatus == .notDetermined {
                let answer = try? await center.requestAuthorization(options: [.alert, .badge, .sound])
                return answer != nil
            }
            guard let settings = URL(string: UIApplication.openNotificationSettingsURLString) else { return false }
            return await open(settings)
        }
    }
#endif
