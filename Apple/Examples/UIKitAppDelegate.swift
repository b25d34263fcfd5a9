import Belfry
import UIKit
import UserNotifications

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    let client = makeClient()
    /// What is shown as soon as there is a window: a tap may open the app.
    private var waiting: [@MainActor (UIViewController) -> Void] = []
    private var isStarted = false

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        _ = NotificationCenter.default.addObserver(
            forName: UIApplication.didBecomeActiveNotification, object: nil, queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.showWaiting() }
        }
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
    private func follow(_ response: PushResponse) async {
        guard let action = response.action else { return }
        let url = action.url.flatMap { URL(string: $0) }
        if action.type == .openUrl, let url {
            if await !UIApplication.shared.open(url) { show("No app on this device opens this link.") }
        } else if action.type == .openRichMessage, let url {
            present(PageController(url: url))
        } else if action.type == .openRichMessage {
            await showMessage(of: response.push)
        }
    }

    private func showMessage(of push: ReceivedPush) async {
        do {
            if let message = try await client.message(for: push) {
                present(MessageController(client: client, message: message))
            } else {
                show("This message is no longer there.")
            }
        } catch {
            show("The message will be in your list later.", because: error)
        }
    }

    private func present(_ page: UIViewController) {
        waiting.append { $0.present(UINavigationController(rootViewController: page), animated: true) }
        showWaiting()
    }

    private func show(_ failure: String, because error: MessageCenterError? = nil) {
        waiting.append { $0.show(failure, because: error) }
        showWaiting()
    }

    private func showWaiting() {
        while !waiting.isEmpty, let front { waiting.removeFirst()(front) }
    }

    /// What the person sees: of all that is open the last.
    private var front: UIViewController? {
        let windows = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap { $0.windows }
        var front = (windows.first { $0.isKeyWindow } ?? windows.first { !$0.isHidden })?.rootViewController
        while let presented = front?.presentedViewController { front = presented }
        return front
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
