import Foundation

/// A push that the simulated service accepted, as the browser gets it.
public struct SimulatedWebPush: MailboxItem, Sendable, Equatable {
    /// Numbers the pushes of one subscription from 1, gaps where pushes never reached the browser.
    public let sequence: Int
    /// The last part of `Location`, as the sender got it.
    public let id: String
    /// The sender's own id of the message, if it has one and the browser could read it.
    public let messageID: String?
    /// `Topic`: an undelivered push with the same one was replaced by this.
    public let topic: String?
    /// `Urgency`.
    public let urgency: WebPushUrgency
    /// `TTL` in seconds, as far as the service keeps pushes; 0: it was not to be stored.
    public let timeToLive: Int
    /// What the browser found in the body.
    public let payload: WebPushPayload
    /// When the service accepted it.
    public let acceptedAt: Date

    var collapseID: String? { topic }

    /// In seconds since 1970.
    var expiration: Int? {
        timeToLive == 0 ? 0 : Int(acceptedAt.timeIntervalSince1970) + timeToLive
    }
}

/// How urgent a push is (RFC 8030 §5.3).
public enum WebPushUrgency: String, Sendable, Codable, CaseIterable {
    /// On power and Wi-Fi.
    case veryLow = "very-low"
    /// On either power or Wi-Fi.
    case low
    /// On neither; what goes without `Urgency`.
    case normal
    /// With little battery.
    case high
}

/// What a browser finds in the body of a push.
public enum WebPushPayload: Sendable, Equatable {
    /// There was no body.
    case none
    /// What the sender encrypted.
    case message([UInt8])
    /// It cannot be read. A browser drops such a push without a word; here it is shown and counted.
    case unreadable(WebPushUnreadable)
    /// As it came: the configuration says not to open it.
    case sealed([UInt8])
}

/// Why a browser cannot read a push (RFC 8291 §3 and §4, RFC 8188 §2).
public enum WebPushUnreadable: String, Error, Sendable, Codable, CaseIterable {
    /// The header is cut, or its key has not 65 bytes.
    case badHeader
    /// The record size is less than 18, or less than the one record that there is.
    case badRecordSize
    /// The sender's key is no point of P-256.
    case badKey
    /// It was encrypted for somebody else, or changed on its way.
    case notAuthentic
    /// The text does not end with the delimiter of a last record.
    case badPadding
}
