import Foundation

/// How many requests are taken in a while, before 429.
public struct SimulatorQuota: Sendable, Equatable {
    /// Requests that are accepted within the interval.
    public let requests: Int
    /// The interval in seconds; it begins with the first request after the last interval.
    public let interval: TimeInterval

    /// `requests` per `interval` seconds; less than one request is one.
    public init(requests: Int, interval: TimeInterval) {
        self.requests = max(requests, 1)
        self.interval = interval
    }
}

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
