import Belfry
import SwiftUI
import UIKit
import UserNotifications

@main
struct ShopApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            OffersView(delegate: delegate)
        }
    }
}

struct OffersView: View {
    @ObservedObject var delegate: AppDelegate

    var body: some View {
        OffersButton(client: delegate.client)
            .sheet(item: $delegate.opened) { message in
                NavigationStack { MessageView(client: delegate.client, message: message) }
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

final class AppDelegate: UIResponder, UIApplicationDelegate, ObservableObject {
    let client = makeClient()

    /// The message of the push that the person opened.
    @Published var opened: MessageCenterMessage?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
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

    private func openMessage(of push: ReceivedPush) async {
        // If it cannot be fetched now, it appears in the list later.
        if let message = try? await client.message(for: push) { opened = message }
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

    // 3. The person opened a push or pressed a button. It may lead to a message in the message center.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        guard let response = client.didReceive(response, completionHandler: completionHandler),
            let action = response.action, action.type == .openRichMessage, action.url == nil
        else { return }
        Task { @MainActor in await openMessage(of: response.push) }
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
