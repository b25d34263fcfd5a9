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

    // After a restart of the device its files are closed until the first unlock. Then it starts here.
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

    /// Goes to the address of a push, or to the message that was kept with it.
    private func follow(_ response: PushResponse) async {
        guard let action = response.action else { return }
        if let address = action.url {
            open(address)
        } else if action.type == .openRichMessage {
            // What cannot be fetched now is in the list later.
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
        guard let response = client.didReceive(response, completionHandler: completionHandler) else { return }
        Task { @MainActor in await follow(response) }
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
