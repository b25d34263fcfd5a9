import BelfryModel
import BelfrySimulators
import Foundation

/// APNs, simulated in this process.
struct LocalAPNs: DevicePushService {
    let simulator: APNsSimulator
    let topic: String
    let now: @Sendable () -> Date

    func issueToken() -> String {
        simulator.issueToken(topic: topic, environment: .production)
    }

    func makeForeignToken(_ number: Int) -> String {
        "malformed-\(number)"
    }

    func unregister(_ token: String) throws {
        try simulator.setState(of: token, to: .unregistered(since: now()))
    }

    func pushes(for token: String) throws -> AsyncStream<Data> {
        try simulator.notifications(for: token).read { Data($0.payload) }
    }
}

/// FCM, simulated in this process.
struct LocalFCM: DevicePushService {
    let simulator: FCMSimulator
    let projectID: String

    func issueToken() -> String {
        simulator.issueToken(projectID: projectID)
    }

    func makeForeignToken(_ number: Int) -> String {
        "malformed-\(number)"
    }

    func unregister(_ token: String) throws {
        try simulator.setState(of: token, to: .unregistered)
    }

    func pushes(for token: String) throws -> AsyncStream<Data> {
        try simulator.messages(for: token).read { message in
            try? FCMArrival.json(data: message.data, title: message.title, body: message.body)
        }
    }
}

/// A browsers' push service and its browsers, simulated in this process.
struct LocalWebPush: DevicePushService {
    let simulator: WebPushSimulator
    /// The app's public key, with which its page subscribes.
    let applicationServerKey: String

    func issueToken() throws -> String {
        try subscribe().text
    }

    /// The server takes nothing but a subscription.
    func makeForeignToken(_ number: Int) throws -> String {
        try subscribe().renamed("malformed-\(number)").text
    }

    func unregister(_ token: String) throws {
        try simulator.setState(of: BrowserSubscription(token: token).simulatorID, to: .unsubscribed)
    }

    func pushes(for token: String) throws -> AsyncStream<Data> {
        try simulator.pushes(for: BrowserSubscription(token: token).simulatorID).read { push in
            guard case .message(let message) = push.payload else { return nil }
            return Data(message)
        }
    }

    private func subscribe() throws -> BrowserSubscription {
        let made = try simulator.subscribe(applicationServerKey: applicationServerKey)
        return BrowserSubscription(endpoint: made.endpoint, keys: .init(p256dh: made.p256dh, auth: made.auth))
    }
}
