import BelfryModel
import Foundation

/// The control API's response to a device that registers with APNs or FCM.
private struct IssuedToken: Decodable {
    let token: String
}

/// APNs, simulated in another process.
struct RemoteAPNs: DevicePushService {
    private struct TokenBody: Encodable {
        let topic: String
        let environment = "production"
    }

    private struct Notification: SimulatorControl.Arrival {
        let sequence: Int
        let payload: String
    }

    let control: SimulatorControl
    let topic: String

    func issueToken() async throws -> String {
        try await control.post("/tokens", TokenBody(topic: topic), as: IssuedToken.self).token
    }

    func makeForeignToken(_ number: Int) -> String {
        "malformed-\(number)"
    }

    func unregister(_ token: String) async throws {
        try await control.setState("/tokens/\(token)", to: "unregistered")
    }

    func pushes(for token: String) -> AsyncStream<Data> {
        control.arrivals("/tokens/\(token)/notifications", as: Notification.self) { Data($0.payload.utf8) }
    }
}

/// FCM, simulated in another process.
struct RemoteFCM: DevicePushService {
    private struct Message: SimulatorControl.Arrival {
        let sequence: Int
        let data: [String: String]
        let title: String?
        let body: String?
    }

    let control: SimulatorControl
    let projectID: String

    func issueToken() async throws -> String {
        try await control.post("/fcm/tokens", ["projectId": projectID], as: IssuedToken.self).token
    }

    func makeForeignToken(_ number: Int) -> String {
        "malformed-\(number)"
    }

    func unregister(_ token: String) async throws {
        try await control.setState("/fcm/tokens/\(token)", to: "unregistered")
    }

    func pushes(for token: String) -> AsyncStream<Data> {
        control.arrivals("/fcm/tokens/\(token)/notifications", as: Message.self) { message in
            try? FCMArrival.json(data: message.data, title: message.title, body: message.body)
        }
    }
}

/// A browser push service and its browsers, simulated in another process.
struct RemoteWebPush: DevicePushService {
    private struct Push: SimulatorControl.Arrival {
        let sequence: Int
        let payload: String?
    }

    let control: SimulatorControl
    /// The app's public key with which its page subscribes; nil: it subscribes without a key.
    let applicationServerKey: String?

    func issueToken() async throws -> String {
        try await subscribe().text
    }

    /// The subscription of another endpoint, because the server accepts only a subscription as a token.
    func makeForeignToken(_ number: Int) async throws -> String {
        try await subscribe().renamed("malformed-\(number)").text
    }

    func unregister(_ token: String) async throws {
        try await control.setState(try path(of: token), to: "unsubscribed")
    }

    func pushes(for token: String) throws -> AsyncStream<Data> {
        control.arrivals("\(try path(of: token))/notifications", as: Push.self) { push in
            push.payload.map { Data($0.utf8) }
        }
    }

    private func subscribe() async throws -> BrowserSubscription {
        let body = ["applicationServerKey": applicationServerKey].compactMapValues { $0 }
        return try await control.post("/webpush/subscriptions", body, as: BrowserSubscription.self)
    }

    private func path(of token: String) throws -> String {
        "/webpush/subscriptions/\(try BrowserSubscription(token: token).simulatorID)"
    }
}
