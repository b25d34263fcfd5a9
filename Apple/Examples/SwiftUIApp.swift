import Belfry
import BelfryModel
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
            .sheet(item: $delegate.opened) { opened in
                NavigationStack { OpenedView(client: delegate.client, opened: opened) }
            }
    }
}

/// What an opened push leads to, if it is not an address of another app.
enum Opened: Identifiable {
    case message(MessageCenterMessage)
    case page(URL)
    case failure(String)

    var id: String {
        switch self {
        case .message(let message): message.id
        case .page(let url): url.absoluteString
        case .failure(let text): text
        }
    }
}

struct OpenedView: View {
    let client: BelfryClient
    let opened: Opened

    var body: some View {
        switch opened {
        case .message(let message): MessageView(client: client, message: message)
        case .page(let url): WebPage(content: .address(url))
        case .failure(let text): Text(text)
        }
    }
}

struct OffersButton: View {
    let client: BelfryClient

    @State private var notice: String?

    var body: some View {
        VStack {
            Button("Tell me about new offers") {
                Task { await ask() }
            }
            if let notice { Text(notice).font(.caption) }
        }
    }

    private func ask() async {
        do {
            let isPermitted = try await client.requestPushPermission()
            notice = isPermitted ? nil : "Notifications are off for this app. You can turn them on in the settings."
        } catch {
            notice = "This device could not store your choice. Please try again."
        }
    }
}

final class AppDelegate: UIResponder, UIApplicationDelegate, ObservableObject {
    let client = makeClient()

    /// What the push that the person opened leads to.
    @Published var opened: Opened?
    private var isStarted = false

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        start()
        return true
    }

    // After a restart of the device its files are locked until the first unlock. Then the client starts here, and not at
    // every unlock: a start also ends a wipe.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        if !isStarted { start() }
    }

    private func start() {
        Task {
            do {
                try await client.start()
                isStarted = true
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

    // Why there is none.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        client.didFailToRegisterForRemoteNotifications(error: error)
    }

    // Silent pushes, for an app that has the background mode "remote notifications".
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await client.didReceiveRemoteNotification(userInfo)
    }

    /// Carries out the action of a push: a link, which may lead into this app, a page, or a message.
    private func follow(_ action: NotificationAction, of push: ReceivedPush) async {
        do {
            switch (action.type, action.url.flatMap { URL(string: $0) }) {
            case (.openUrl, let url?):
                if await !UIApplication.shared.open(url) { opened = .failure("No app on this device opens this link.") }
            case (.openRichMessage, let url?):
                opened = .page(url)
            case (.openRichMessage, nil):
                let message = try await client.message(for: push)
                opened = message.map { .message($0) } ?? .failure("This message is no longer there.")
            default:
                break
            }
        } catch {
            opened = .failure("The message will be in your list later: \(reason(error))")
        }
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
        guard let response = client.didReceive(response, completionHandler: completionHandler),
            let action = response.action
        else { return }
        Task { @MainActor in await follow(action, of: response.push) }
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
