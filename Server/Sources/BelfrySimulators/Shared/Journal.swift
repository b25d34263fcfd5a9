import Synchronization

/// What a simulator received: counts, and the last accepted pushes.
final class Journal<Entry: Sendable>: Sendable {
    private struct State: Sendable {
        var counts = JournalCounts()
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
            state.counts.connections += 1
            state.counts.openConnections += 1
        }
    }

    func connectionClosed() {
        state.withLock { $0.counts.openConnections -= 1 }
    }

    /// A request that was lost with its connection before it was looked at.
    func lost(_ fault: FaultPlan.Fault) {
        state.withLock { state in
            state.counts.requests += 1
            state.counts.faults[fault, default: 0] += 1
        }
    }

    func refused(_ reason: String, _ fault: FaultPlan.Fault?) {
        state.withLock { state in
            state.counts.requests += 1
            state.counts.refused[reason, default: 0] += 1
            if let fault { state.counts.faults[fault, default: 0] += 1 }
        }
    }

    func accepted(_ entry: @autoclosure () -> Entry, _ remark: Remark?, _ fault: FaultPlan.Fault?) {
        // Made outside the lock, and not at all if nobody keeps it.
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

    /// A push that nobody will ask for again.
    func accepted(_ remark: Remark?, _ fault: FaultPlan.Fault?) {
        state.withLock { $0.counts.accept(remark, fault) }
    }

    /// The answer to an accepted push was written.
    func answered() {
        state.withLock { $0.counts.answered += 1 }
    }

    /// The last accepted pushes, oldest first.
    var history: [Entry] {
        let (entries, oldest) = state.withLock { ($0.history, $0.oldest) }
        return Array(entries[oldest...] + entries[..<oldest])
    }

    /// The counts that the journal keeps; those of devices and deliveries are the registry's.
    var counts: JournalCounts { state.withLock { $0.counts } }
}

/// What a simulator has seen of requests and connections.
struct JournalCounts: Sendable {
    var requests = 0
    var accepted = 0
    /// Of those, the ones whose answer was written.
    var answered = 0
    var connections = 0
    var openConnections = 0
    /// By reason.
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

/// Something about an accepted push that is allowed, and worth knowing.
enum Remark: Sendable, Hashable {
    /// `apns-push-type` was left out.
    case withoutPushType
    /// Nobody but the sender can read it.
    case unreadable
    /// It was only to be checked.
    case validated
}
