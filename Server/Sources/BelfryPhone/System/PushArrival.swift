import Foundation

/// A push as APNs hands it to the phone: the payload and those headers of the request that the phone heeds.
package struct PushArrival: Sendable, Hashable {
    /// The JSON payload as the provider sent it.
    package let payload: Data
    /// `apns-id`.
    package let id: String
    /// `apns-collapse-id`: it replaces a notification with the same one.
    package let collapseID: String?
    /// `apns-push-type` is `background`.
    package let isBackground: Bool
    /// `apns-expiration`: after it the push is not delivered; nil: the provider gave none. A date not after the arrival
    /// means that the push is not stored.
    package let expiresAt: Date?
    /// Its place among all pushes of its token; 0: it has none.
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

    /// Whether it is not delivered any more, nor kept.
    func hasExpired(at now: Date) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

/// What the phone hears from the push service.
package enum PushServiceNews: Sendable, Hashable {
    case arrived(PushArrival)
    /// The connection is lost; it is tried again.
    case lost
    /// The connection is there again.
    case back
    /// The push service does not know the token: nothing comes for it any more.
    case tokenUnknown
}

/// There is no push service: whoever asks again gets the same answer.
package struct PushServiceMissing: Error {
    package init() {}
}

/// The push service as the phone's system uses it. It may take long to answer, and not answer at all.
package protocol PhonePushService: Sendable {
    /// Issues a device token for the app.
    ///
    /// - Throws: ``PushServiceMissing``, and whatever says that there was no answer.
    func issueToken() async throws -> String
    /// The token is no longer valid: the app was deleted, or restored on another phone. One that is not known is none.
    func retire(_ token: String) async throws
    /// What happens for a token, as long as somebody listens.
    ///
    /// - Parameter newest: the number of the last push that the phone has had; those up to it do not come again.
    func news(for token: String, after newest: Int) async -> AsyncStream<PushServiceNews>
}
