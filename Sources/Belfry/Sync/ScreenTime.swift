import Foundation

/// For how long a message was to be seen: the time for which the app was away does not count (IAM-9).
struct ScreenTime: Sendable {
    private var since: Date?
    private var seconds: TimeInterval = 0

    /// It is to be seen from now on.
    mutating func begin(at now: Date) {
        if since == nil { since = now }
    }

    /// It is not to be seen from now on.
    mutating func end(at now: Date) {
        seconds = total(at: now)
        since = nil
    }

    /// Seconds so far. A clock that was set back takes none away.
    func total(at now: Date) -> TimeInterval {
        seconds + max(0, since.map { now.timeIntervalSince($0) } ?? 0)
    }
}
