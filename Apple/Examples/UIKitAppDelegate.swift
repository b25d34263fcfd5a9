import Belfry
import UIKit
import UserNotifications

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    let client = makeClient()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        start()
        return true
    }

    // After a restart of the device its files are closed until the first unlock. Then it starts here.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        start()
    }

    private func start() {
        Task {
            do {
                try await client.start()
            } catch {
                print("Belfry did not start: \(error)")
            }
        }
    }

    // 1. The push token.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        client.didRegisterForRemoteNotifications(deviceToken: deviceToken)
    }

    // Silent pushes, for an app that has the background mode "remote notifications".
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await client.didReceiveRemoteNotification(userInfo)
    }

    private func open(_ address: String) {
        guard let url = URL(string: address) else { return }
        UIApplication.shared.open(url)
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    // 2. A push that arrives while the app is shown.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        client.willPresent(notification, completionHandler: completionHandler)
    }

    // 3. What the person does with a push. The app goes where the push leads.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let response = client.didReceive(response, completionHandler: completionHandler)
        guard let address = response?.action?.url else { return }
        Task { @MainActor in open(address) }
    }
}

// What is wrong here is wrong at the first run on any device, so it may end the app.
private func makeClient() -> BelfryClient {
    do {
        let configuration = try BelfryConfiguration(
            appCode: "shop",
            serverURL: URL(string: "https://push.example.com")!,
            directory: BelfryConfiguration.standardDirectory()
        )
        return try BelfryClient(configuration: configuration, platform: ApplePlatform())
    } catch {
        fatalError("Belfry: \(error)")
    }
}
