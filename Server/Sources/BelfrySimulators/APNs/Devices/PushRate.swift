import Foundation

/// Counts the pushes of one device token in the current interval.
struct PushRate: Sendable, Equatable {
    private var began = -Double.infinity
    private var count = 0

    /// Counts one push; false: it is one too many.
    mutating func admit(now: Date, limit: APNsSimulator.TokenRateLimit?) -> Bool {
        guard let limit else { return true }
        let seconds = now.timeIntervalSince1970
        if seconds - began >= limit.interval {
            began = seconds
            count = 0
        }
        guard count < limit.requests else { return false }
        count += 1
        return true
    }
}
