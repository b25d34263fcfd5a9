import Foundation

/// How long fetched messages stay on the device: until they expire, or until they were in no fetch for the retention
/// (MC-7).
public struct CenterRetention: Hashable, Sendable {
    /// Seconds.
    public let retention: TimeInterval
    public let now: Date

    public init(_ retention: TimeInterval, now: Date) {
        self.retention = retention
        self.now = now
    }

    /// What was fetched, or listed, at this time or earlier goes.
    public var oldestGone: Date {
        now.addingTimeInterval(-retention)
    }

    /// - Parameter fetchedAt: of the last fetch that had the message.
    public func keeps(fetchedAt: Date, expiresAt: Date?) -> Bool {
        if let expiresAt, expiresAt <= now { return false }
        return fetchedAt > oldestGone
    }
}
