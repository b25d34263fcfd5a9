import Hummingbird

extension ControlOutput {
    /// The result of `PushSubscription.toJSON` (W3C Push API), and the id of the subscription here.
    struct Subscription: ResponseEncodable {
        struct Keys: Encodable {
            var p256dh: String
            var auth: String
        }

        var id: String
        var endpoint: String
        var keys: Keys

        init(_ subscription: WebPushSimulator.Subscription) {
            id = subscription.id
            endpoint = subscription.endpoint
            keys = Keys(p256dh: subscription.p256dh, auth: subscription.auth)
        }
    }

    struct WebPush: ResponseEncodable {
        var sequence: Int
        var id: String
        var messageId: String?
        var topic: String?
        var urgency: WebPushUrgency
        /// In seconds.
        var timeToLive: Int
        /// The decrypted payload as text; nil if there was no body or it could not be read.
        var payload: String?
        /// Why the payload could not be read.
        var unreadable: WebPushUnreadable?
        /// In milliseconds since 1970.
        var acceptedAt: Int64

        init(_ push: SimulatedWebPush) {
            sequence = push.sequence
            id = push.id
            messageId = push.messageID
            topic = push.topic
            urgency = push.urgency
            timeToLive = push.timeToLive
            switch push.payload {
            case .message(let bytes): payload = String(decoding: bytes, as: UTF8.self)
            case .unreadable(let reason): unreadable = reason
            case .none, .sealed: break
            }
            acceptedAt = ControlOutput.milliseconds(push.acceptedAt)
        }
    }
}
