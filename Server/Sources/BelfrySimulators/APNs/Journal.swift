import Foundation
import Synchronization

/// What a simulator received: counts, and the last accepted pushes.
final class Journal: Sendable {
    private struct Entry: Sendable {
        var token: DeviceTokenKey
        var apnsID: String
        var acceptedAt: Date
    }

    private struct State: Sendable {
        var requests = 0
        var accepted = 0
        var withoutPushType = 0
        var connections = 0
        var openConnections = 0
        var refused: [APNsSimulator.Reason: Int] = [:]
        var faults: [FaultPlan.Fault: Int] = [:]
        /// A ring: once it is full, `oldest` is overwritten next.
        var history: [Entry] = []
        var oldest = 0
    }

    private let historyLimit: Int
    private let state = Mutex(State())

    init(historyLimit: Int) {
        self.historyLimit = max(historyLimit, 0)
    }

    func connectionOpened() {
        state.withLock { state in
            state.connections += 1
            state.openConnections += 1
        }
    }

    func connectionClosed() {
        state.withLock { $0.openConnections -= 1 }
    }

    /// A request that was lost with its connection before it was looked at.
    func lost(_ fault: FaultPlan.Fault) {
        state.withLock { state in
            state.requests += 1
            state.faults[fault, default: 0] += 1
        }
    }

    func refused(_ reason: APNsSimulator.Reason, _ fault: FaultPlan.Fault?) {
        state.withLock { state in
            state.requests += 1
            state.refused[reason, default: 0] += 1
            if let fault { state.faults[fault, default: 0] += 1 }
        }
    }

    func accepted(_ push: APNsPush, apnsID: String, now: Date, _ fault: FaultPlan.Fault?) {
        let limit = historyLimit
        state.withLock { state in
            state.requests += 1
            state.accepted += 1
            if push.pushType == nil { state.withoutPushType += 1 }
            if let fault { state.faults[fault, default: 0] += 1 }
            guard limit > 0 else { return }
            let entry = Entry(token: push.token, apnsID: apnsID, acceptedAt: now)
            if state.history.count < limit {
                state.history.append(entry)
            } else {
                state.history[state.oldest] = entry
                state.oldest = (state.oldest + 1) % limit
            }
        }
    }

    /// The last accepted pushes, oldest first.
    var history: [APNsSimulator.Acceptance] {
        let (entries, oldest) = state.withLock { ($0.history, $0.oldest) }
        return (entries[oldest...] + entries[..<oldest]).map { entry in
            APNsSimulator.Acceptance(token: entry.token.text, apnsID: entry.apnsID, acceptedAt: entry.acceptedAt)
        }
    }

    /// The counts that the journal keeps; those of devices and deliveries are the registry's.
    var statistics: APNsSimulator.Statistics {
        state.withLock { state in
            var statistics = APNsSimulator.Statistics()
            statistics.requests = state.requests
            statistics.accepted = state.accepted
            statistics.withoutPushType = state.withoutPushType
            statistics.connections = state.connections
            statistics.openConnections = state.openConnections
            for (reason, count) in state.refused {
                statistics.refused[reason.rawValue] = count
            }
            for (fault, count) in state.faults {
                statistics.faults[fault.rawValue] = count
            }
            return statistics
        }
    }
}
