import Foundation
import Hummingbird

/// The response bodies of the control API.
enum ControlOutput {
    struct Token: ResponseEncodable {
        var token: String
    }

    struct Installation: ResponseEncodable {
        var fid: String
    }

    static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }

    struct Notification: ResponseEncodable {
        var sequence: Int
        var environment: APNsEnvironment
        var topic: String
        var apnsId: String
        var pushType: APNsPushType?
        var priority: Int
        var collapseId: String?
        /// In seconds since 1970, as the provider gave it.
        var expiration: Int?
        /// The number that the icon shows from now on; 0: none; absent: unchanged.
        var badge: Int?
        /// The JSON payload as text, as the provider sent it.
        var payload: String
        /// In milliseconds since 1970.
        var acceptedAt: Int64

        init(_ notification: SimulatedNotification) {
            sequence = notification.sequence
            environment = notification.environment
            topic = notification.topic
            apnsId = notification.apnsID
            pushType = notification.pushType
            priority = notification.priority
            collapseId = notification.collapseID
            expiration = notification.expiration
            badge = notification.badge
            payload = String(decoding: notification.payload, as: UTF8.self)
            acceptedAt = ControlOutput.milliseconds(notification.acceptedAt)
        }
    }
}
