import Foundation
import Network
import Testing
import UIKit
import UserNotifications
import WebKit

@testable import Belfry

/// What a test does with the device, by the words that both systems share.
@MainActor
enum TheSystem {
    static let settingsAddress = UIApplication.openNotificationSettingsURLString
    /// The responses to Belfry's notifications that the app was to carry out.
    static var responses: [PushResponse] = []

    static var registrations: Int { UIApplication.shared.registrations }
    static var opened: [URL] { UIApplication.shared.opened }
    static var tokenAnswer: Result<Data, any Error>? {
        get { UIApplication.shared.tokenAnswer }
        set { UIApplication.shared.tokenAnswer = newValue }
    }

    static func restart() {
        responses = []
        UIApplication.restart()
        WKWebView.restart()
        NetworkWeather.shared.set(.satisfied)
    }

    static func setDelegate(_ app: ForwardingApp) { UIApplication.shared.delegate = app }
    static func open() { UIApplication.shared.becomeActive() }
    static func leave() { UIApplication.shared.enterBackground() }
}

/// An app's delegate: it forwards what only it receives.
final class ForwardingApp: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    let client: BelfryClient

    init(_ client: BelfryClient) {
        self.client = client
        super.init()
    }

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        client.didRegisterForRemoteNotifications(deviceToken: deviceToken)
    }

    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        client.didFailToRegisterForRemoteNotifications(error: error)
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await client.didReceiveRemoteNotification(userInfo)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        client.willPresent(notification, completionHandler: completionHandler)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        guard let response = client.didReceive(response, completionHandler: { completionHandler() }) else { return }
        // The system calls it on the main thread; in these tests the one that plays the system does.
        MainActor.assumeIsolated { TheSystem.responses.append(response) }
    }
}
