import Foundation

/// A push that the simulated service accepted, as the browser gets it.
public struct SimulatedWebPush: MailboxItem, Sendable, Equatable {
    /// Numbers the pushes of one subscription from 1, with gaps for pushes that never reached the browser.
    public let sequence: Int
    /// The last part of `Location`, as the sender got it.
    public let id: String
    /// The sender's own id of the message, if it has one and the browser could read it.
    public let messageID: String?
    /// `Topic`: this push has replaced an undelivered one with the same topic.
    public let topic: String?
    /// `Urgency`.
    public let urgency: WebPushUrgency
    /// `TTL` in seconds, limited to the service's maximum; 0: not to be stored.
    public let timeToLive: Int
    /// The content of the body, as the browser reads it.
    public let payload: WebPushPayload
    /// When the service accepted it.
    public let acceptedAt: Date

    var collapseID: String? { topic }

    /// In seconds since 1970.
    var expiration: Int? {
        timeToLive == 0 ? 0 : Int(acceptedAt.timeIntervalSince1970) + timeToLive
    }
}

/// The urgency of a push (RFC 8030 §5.3): the state of the device in which it is delivered.
public enum WebPushUrgency: String, Sendable, Codable, CaseIterable {
    /// On power and Wi-Fi.
    case veryLow = "very-low"
    /// On either power or Wi-Fi.
    case low
    /// On neither power nor Wi-Fi; the default without `Urgency`.
    case normal
    /// With little battery.
    case high
}

/// The content of a push's body.
public enum WebPushPayload: Sendable, Equatable {
    /// There was no body.
    case none
    /// The decrypted message.
    case message([UInt8])
    /// It cannot be decrypted. A browser drops such a push silently; here it is shown and counted.
    case unreadable(WebPushUnreadable)
    /// The body as received: the configuration says not to decrypt it.
    case sealed([UInt8])
}

/// The reason why a browser cannot decrypt a push (RFC 8291 §3 and §4, RFC 8188 §2).
public enum WebPushUnreadable: String, Error, Sendable, Codable, CaseIterable {
    /// The header is incomplete, or its key does not have 65 bytes.
    case badHeader
    /// The record size is less than 18, or less than the size of the single record.
    case badRecordSize
    /// The sender's key is not a point of P-256.
    case badKey
    /// It was encrypted for another subscription, or changed on its way.
    case notAuthentic
    /// The text does not end with the delimiter of a last record.
    case badPadding
}
