import Foundation
import Synchronization

/// How many requests are taken in a while, before 429. Quotas can be changed while a simulator runs.
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

/// The limit of many senders or projects, and what each has used of it.
final class SenderRates<Sender: Hashable & Sendable>: Sendable {
    /// Senders whose rate is known; when there are more, all begin anew.
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

    /// From now on; nil: no limit.
    func set(_ quota: SimulatorQuota?) {
        state.withLock { $0 = State(quota: quota) }
    }

    /// Counts a request of the sender. Nil, or the seconds after which there is room for one again.
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
