import Synchronization

/// A simulator's counts, and the last accepted pushes.
final class Journal<Entry: Sendable>: Sendable {
    private struct State: Sendable {
        var counts = JournalCounts()
        /// A ring: once it is full, the entry at `oldest` is overwritten next.
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
            state.counts.connections += 1
            state.counts.openConnections += 1
        }
    }

    func connectionClosed() {
        state.withLock { $0.counts.openConnections -= 1 }
    }

    /// Counts a request that was lost with its connection before it was processed.
    func lost(_ fault: FaultPlan.Fault) {
        state.withLock { state in
            state.counts.requests += 1
            state.counts.faults[fault, default: 0] += 1
        }
    }

    func rejected(_ reason: String, _ fault: FaultPlan.Fault?) {
        state.withLock { state in
            state.counts.requests += 1
            state.counts.refused[reason, default: 0] += 1
            if let fault { state.counts.faults[fault, default: 0] += 1 }
        }
    }

    func accepted(_ entry: @autoclosure () -> Entry, _ remark: Remark?, _ fault: FaultPlan.Fault?) {
        // Created outside the lock, and only if a history is kept.
        let entry = historyLimit > 0 ? entry() : nil
        let limit = historyLimit
        state.withLock { state in
            state.counts.accept(remark, fault)
            guard let entry else { return }
            if state.history.count < limit {
                state.history.append(entry)
            } else {
                state.history[state.oldest] = entry
                state.oldest = (state.oldest + 1) % limit
            }
        }
    }

    /// Counts an accepted push without adding it to the history.
    func accepted(_ remark: Remark?, _ fault: FaultPlan.Fault?) {
        state.withLock { $0.counts.accept(remark, fault) }
    }

    /// Counts the written response to an accepted push.
    func answered() {
        state.withLock { $0.counts.answered += 1 }
    }

    /// The last accepted pushes, oldest first.
    var history: [Entry] {
        let (entries, oldest) = state.withLock { ($0.history, $0.oldest) }
        return Array(entries[oldest...] + entries[..<oldest])
    }

    /// The journal's own counts; those of devices and deliveries are in the registry.
    var counts: JournalCounts { state.withLock { $0.counts } }
}

/// The counts of requests and connections.
struct JournalCounts: Sendable {
    var requests = 0
    var accepted = 0
    /// The accepted requests whose response was written.
    var answered = 0
    var connections = 0
    var openConnections = 0
    /// Rejected requests by reason.
    var refused: [String: Int] = [:]
    var faults: [FaultPlan.Fault: Int] = [:]
    var remarks: [Remark: Int] = [:]

    mutating func accept(_ remark: Remark?, _ fault: FaultPlan.Fault?) {
        requests += 1
        accepted += 1
        if let remark { remarks[remark, default: 0] += 1 }
        if let fault { faults[fault, default: 0] += 1 }
    }

    /// Faults that were drawn, by name.
    var namedFaults: [String: Int] {
        Dictionary(uniqueKeysWithValues: faults.map { ($0.key.rawValue, $0.value) })
    }
}

/// A fact about an accepted push that is allowed, but worth knowing.
enum Remark: Sendable, Hashable {
    /// `apns-push-type` was left out.
    case withoutPushType
    /// The browser cannot decrypt it.
    case unreadable
    /// It was only validated.
    case validated
}
