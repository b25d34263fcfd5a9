import Foundation

/// A push as the phone receives it from APNs: the payload and the request headers that matter to the phone.
package struct PushArrival: Sendable, Hashable {
    /// The JSON payload as the provider sent it.
    package let payload: Data
    /// `apns-id`.
    package let id: String
    /// `apns-collapse-id`: the push replaces a notification with the same one.
    package let collapseID: String?
    /// Whether `apns-push-type` is `background`.
    package let isBackground: Bool
    /// `apns-expiration`: the push is not delivered after this time. Nil: the sender gave none. A time before the
    /// arrival means that APNs does not store the push.
    package let expiresAt: Date?
    /// The number of the push among those for its token; 0: none.
    package let number: Int

    package init(
        payload: Data, id: String, collapseID: String?, isBackground: Bool, expiresAt: Date?, number: Int = 0
    ) {
        self.payload = payload
        self.id = id
        self.collapseID = collapseID
        self.isBackground = isBackground
        self.expiresAt = expiresAt
        self.number = number
    }

    /// Whether the push may no longer be delivered or stored.
    func hasExpired(at now: Date) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

/// News from the push service about a token.
package enum PushServiceNews: Sendable, Hashable {
    case arrived(PushArrival)
    /// The connection was lost; the phone tries again.
    case lost
    /// The connection is established again.
    case back
    /// The push service does not know the token, so no pushes come for it any more.
    case tokenUnknown
}

/// There is no push service. Asking again gives the same error.
package struct PushServiceMissing: Error {
    package init() {}
}

/// The push service as the phone's system uses it. It may answer late or not at all.
package protocol PhonePushService: Sendable {
    /// Issues a device token for the app.
    ///
    /// - Throws: ``PushServiceMissing``, or the error of a call without a response.
    func issueToken() async throws -> String
    /// Makes a token invalid: the app was deleted, or restored on another phone. An unknown token has no effect.
    func retire(_ token: String) async throws
    /// Streams the news of a token for as long as the stream is read.
    ///
    /// - Parameter newest: the number of the last push that the phone has received; only later ones are sent.
    func news(for token: String, after newest: Int) async -> AsyncStream<PushServiceNews>
}
