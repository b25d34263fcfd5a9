import Belfry
import SwiftUI
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

    // After a restart of the device its files are locked until the first unlock. Then the client starts here.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        start()
    }

    private func start() {
        Task {
            do {
                try await client.start()
                try await client.setMessageCenterEnabled(true)
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

    /// Opens the address of a push, or its message in the message center.
    private func follow(_ response: PushResponse) async {
        guard let action = response.action else { return }
        if let address = action.url {
            open(address)
        } else if action.type == .openRichMessage {
            // If it cannot be fetched now, it appears in the list later.
            if let message = try? await client.message(for: response.push) { show(message) }
        }
    }

    private func open(_ address: String) {
        guard let url = URL(string: address) else { return }
        UIApplication.shared.open(url)
    }

    private func show(_ message: MessageCenterMessage) {
        let windows = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap { $0.windows }
        let page = UIHostingController(
            rootView: NavigationStack { MessageView(client: client, message: message) }
        )
        windows.first { $0.isKeyWindow }?.rootViewController?.present(page, animated: true)
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    // 2. A push that arrives while the app is in the foreground.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        client.willPresent(notification, completionHandler: completionHandler)
    }

    // 3. The person opened a push or pressed a button. The app follows its action.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        guard let response = client.didReceive(response, completionHandler: completionHandler) else { return }
        Task { @MainActor in await follow(response) }
    }
}

// An error here shows up at the first run on every device, so it may end the app.
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
