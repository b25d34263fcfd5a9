import Belfry
import SwiftUI
import UIKit
import UserNotifications

@main
struct ShopApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            OffersButton(client: delegate.client)
        }
    }
}

struct OffersButton: View {
    let client: BelfryClient

    var body: some View {
        Button("Tell me about new offers") {
            Task { try await client.requestPushPermission() }
        }
    }
}

final class AppDelegate: UIResponder, UIApplicationDelegate {
    let client = makeClient()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
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

    // 3. What the person does with a push.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        client.didReceive(response, completionHandler: completionHandler)
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
