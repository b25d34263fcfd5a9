import BelfryModel
import BelfryPhone
import Foundation

/// APNs, simulated in another process, as a phone's system uses it.
struct PhoneAPNs: PhonePushService {
    private struct Notification: SimulatorControl.Arrival {
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
        try await control.setState("/tokens/\(token)", to: "unregistered")
    }

    func arrivals(for token: String) async throws -> AsyncStream<PushArrival> {
        control.stream("/tokens/\(token)/notifications", as: Notification.self) { notification in
            PushArrival(
                payload: Data(notification.payload.utf8), id: notification.apnsId,
                collapseID: notification.collapseId, isBackground: notification.pushType == "background",
                expiresAt: notification.expiration.map { Date(timeIntervalSince1970: TimeInterval($0)) }
            )
        }
    }
}

/// No push service: the app gets no token, and everything but pushes works.
struct NoPushService: PhonePushService {
    struct NoToken: Error, CustomStringConvertible {
        let description = "This phone has no push service. Start it with --push-control to give it one."
    }

    func issueToken() async throws -> String { throw NoToken() }
    func retire(_ token: String) async throws {}
    func arrivals(for token: String) async throws -> AsyncStream<PushArrival> { AsyncStream { $0.finish() } }
}
