import Foundation

/// How long fetched messages stay on the device: until they expire, or until no fetch has contained them for the
/// retention (MC-7).
public struct MessageCenterRetention: Hashable, Sendable {
    /// The retention in seconds.
    public let retention: TimeInterval
    public let now: Date
    /// The server's clock, by which messages expire (MC-17).
    public let serverTime: Date

    /// - Parameter serverTime: nil: the device's time is used.
    public init(_ retention: TimeInterval, now: Date, serverTime: Date? = nil) {
        self.retention = retention
        self.now = now
        self.serverTime = serverTime ?? now
    }

    /// Messages and contents that were last fetched or listed at this time or earlier are removed.
    public var oldestGone: Date {
        now.addingTimeInterval(-retention)
    }

    /// Whether a message stays on the device.
    ///
    /// - Parameter fetchedAt: the time of the last fetch that contained the message.
    public func keeps(fetchedAt: Date, expiresAt: Date?) -> Bool {
        if let expiresAt, expiresAt <= serverTime { return false }
        return fetchedAt > oldestGone
    }
}
