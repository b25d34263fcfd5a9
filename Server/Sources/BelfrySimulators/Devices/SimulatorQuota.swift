import Foundation
import Synchronization

/// The number of requests that are accepted in an interval before 429. Quotas can be changed while a simulator runs.
public struct SimulatorQuota: Sendable, Equatable {
    /// Requests that are accepted within the interval.
    public let requests: Int
    /// The interval in seconds; it begins with the first request after the last interval.
    public let interval: TimeInterval

    /// `requests` per `interval` seconds; a value below one request becomes one.
    public init(requests: Int, interval: TimeInterval) {
        self.requests = max(requests, 1)
        self.interval = interval
    }
}

/// The limit of many senders or projects, and the current use of each.
final class SenderRates<Sender: Hashable & Sendable>: Sendable {
    /// The maximum number of senders that are tracked; beyond it, all start from zero.
    private static var limit: Int { 1_000 }

    private struct State: Sendable {
        var quota: SimulatorQuota?
        var rates: [Sender: PushRate] = [:]
    }

    private let state: Mutex<State>

    init(_ quota: SimulatorQuota?) {
        state = Mutex(State(quota: quota))
    }

    /// Nil: there is no limit.
    var quota: SimulatorQuota? { state.withLock { $0.quota } }

    /// Sets the limit; nil: no limit.
    func set(_ quota: SimulatorQuota?) {
        state.withLock { $0 = State(quota: quota) }
    }

    /// Counts a request of the sender. Nil if it is accepted; otherwise the seconds until the next one may be.
    func pause(of sender: Sender, now: Date) -> Int? {
        state.withLock { state in
            guard let quota = state.quota else { return nil }
            if state.rates.count >= Self.limit { state.rates = [:] }
            var rate = state.rates[sender] ?? PushRate()
            defer { state.rates[sender] = rate }
            return rate.admit(now: now, limit: quota) ? nil : rate.pause(now: now, limit: quota)
        }
    }
}

/// Counts the pushes of one device or project in the current interval.
struct PushRate: Sendable, Equatable {
    private var began = -Double.infinity
    private var count = 0

    /// Counts one push; false: it exceeds the limit.
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

    /// The seconds until the interval ends, rounded up to at least 1, for the `Retry-After` of a push beyond the limit.
    func pause(now: Date, limit: SimulatorQuota) -> Int {
        let left = (began + limit.interval - now.timeIntervalSince1970).rounded(.up)
        return Int(exactly: min(max(left, 1), 86_400)) ?? 1
    }
}
