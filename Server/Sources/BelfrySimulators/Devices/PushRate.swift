import Foundation

/// Counts the pushes of one device or project in the current interval.
struct PushRate: Sendable, Equatable {
    private var began = -Double.infinity
    private var count = 0

    /// Counts one push; false: it is one too many.
    mutating func admit(now: Date, limit: SimulatorQuota?) -> Bool {
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

    /// Whole seconds until the interval ends, at least 1: what `Retry-After` says of one push too many.
    func pause(now: Date, limit: SimulatorQuota) -> Int {
        let left = (began + limit.interval - now.timeIntervalSince1970).rounded(.up)
        return Int(exactly: min(max(left, 1), 86_400)) ?? 1
    }
}
