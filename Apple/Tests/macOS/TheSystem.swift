import AppKit
import Foundation
import Network
import Testing
import UserNotifications
import WebKit

@testable import Belfry

/// What a test does with the device, by the words that both systems share.
@MainActor
enum TheSystem {
    static let settingsAddress = "x-apple.systempreferences:com.apple.preference.notifications"
    /// The responses to Belfry's notifications that the app was to carry out.
    static var responses: [PushResponse] = []

    static var registrations: Int { NSApplication.shared.registrations }
    static var opened: [URL] { NSWorkspace.shared.opened }
    static var tokenAnswer: Result<Data, any Error>? {
        get { NSApplication.shared.tokenAnswer }
        set { NSApplication.shared.tokenAnswer = newValue }
    }

    static func restart() {
        responses = []
        NSApplication.restart()
        WKWebView.restart()
        NetworkWeather.shared.set(.satisfied)
    }

    static func setDelegate(_ app: ForwardingApp) { NSApplication.shared.delegate = app }
    static func open() { NSApplication.shared.activate() }
    static func leave() { NSApplication.shared.deactivate() }
}

/// An app's delegate: it forwards what only it receives.
final class ForwardingApp: NSApplicationDelegate, UNUserNotificationCenterDelegate {
    let client: BelfryClient

    init(_ client: BelfryClient) {
        self.client = client
    }

    func application(
        _ application: NSApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        client.didRegisterForRemoteNotifications(deviceToken: deviceToken)
    }

    func application(
        _ application: NSApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        client.didFailToRegisterForRemoteNotifications(error: error)
    }

    func application(_ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any]) {
        client.didReceiveRemoteNotification(userInfo)
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
