import AsyncHTTPClient
import BelfryModel
import BelfryPhone
import Foundation
import NIOPosix

/// APNs, simulated in another process, as a phone's operating system uses it.
struct PhoneAPNs: PhonePushService {
    fileprivate struct Notification: SimulatorControl.Arrival {
        let sequence: Int
        let apnsId: String
        let pushType: String?
        let collapseId: String?
        let expiration: Int?
        let payload: String
    }

    let control: SimulatorControl
    let topic: String

    func issueToken() async throws -> String {
        try await RemoteAPNs(control: control, topic: topic).issueToken()
    }

    func retire(_ token: String) async throws {
        do {
            try await control.setState("/tokens/\(token)", to: "unregistered")
        } catch DevicePushServiceError.rejected(_, status: 404) {
            // The simulator was restarted, and already rejects the token.
        }
    }

    func news(for token: String, after newest: Int) -> AsyncStream<PushServiceNews> {
        AsyncStream { continuation in
            let listening = Task {
                await listen(to: token, after: newest) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }

    /// Listens until the token is no longer known. Outages are reported, and listening continues after them.
    private func listen(to token: String, after former: Int, _ tell: (PushServiceNews) -> Void) async {
        let polls = control.polls("/tokens/\(token)/notifications", for: Notification.self)
        await polls.run(after: former) { news in
            switch news {
            case .arrived(let notifications):
                for notification in notifications { tell(.arrived(PushArrival(notification))) }
            case .lost: tell(.lost)
            case .back: tell(.back)
            case .unknown: tell(.tokenUnknown)
            }
        }
    }

    /// A client with room for one long poll per phone. It fails immediately when nothing listens.
    static func http() -> HTTPClient {
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = PhoneServer.maximumPhones + 8
        settings.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    }
}

extension PushArrival {
    fileprivate init(_ notification: PhoneAPNs.Notification) {
        self.init(
            payload: Data(notification.payload.utf8), id: notification.apnsId, collapseID: notification.collapseId,
            isBackground: notification.pushType == "background",
            expiresAt: notification.expiration.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            number: notification.sequence
        )
    }
}

/// No push service: the app gets no token, and everything except pushes works.
struct NoPushService: PhonePushService {
    func issueToken() async throws -> String { throw PushServiceMissing() }
    func retire(_ token: String) async throws {}
    func news(for token: String, after newest: Int) -> AsyncStream<PushServiceNews> { AsyncStream { $0.finish() } }
}
