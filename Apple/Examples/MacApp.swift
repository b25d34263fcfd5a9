import AppKit
import Belfry
import UserNotifications

@main
final class AppDelegate: NSObject, NSApplicationDelegate {
    private var client: BelfryClient?

    func applicationDidFinishLaunching(_ notification: Notification) {
        do {
            let configuration = try BelfryConfiguration(
                appCode: "shop",
                serverURL: URL(string: "https://push.example.com")!,
                directory: BelfryConfiguration.standardDirectory()
            )
            let client = try BelfryClient(configuration: configuration, platform: ApplePlatform())
            self.client = client
            UNUserNotificationCenter.current().delegate = self
            Task { await start(client) }
        } catch {
            print("Belfry: \(error)")
        }
    }

    private func start(_ client: BelfryClient) async {
        do {
            try await client.start()
            try await client.requestPushPermission()
        } catch {
            print("Belfry did not start: \(error)")
        }
    }

    // The push token, and why there is none.
    func application(
        _ application: NSApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        client?.didRegisterForRemoteNotifications(deviceToken: deviceToken)
    }

    func application(
        _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        client?.didFailToRegisterForRemoteNotifications(error: error)
    }

    // Silent pushes.
    func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]) {
        client?.didReceiveRemoteNotification(userInfo)
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    // The system calls both on the main thread.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        guard let client = MainActor.assumeIsolated({ client }) else { return completionHandler([.banner, .list]) }
        client.willPresent(notification, completionHandler: completionHandler)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        guard let client = MainActor.assumeIsolated({ client }) else { return completionHandler() }
        let response = client.didReceive(response, completionHandler: completionHandler)
        guard let address = response?.action?.url, let url = URL(string: address) else { return }
        MainActor.assumeIsolated { _ = NSWorkspace.shared.open(url) }
    }
}
