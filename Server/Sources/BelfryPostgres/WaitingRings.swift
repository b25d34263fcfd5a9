import BelfryStore

/// The rings that wait to be sent: the first goes at once, and those that come while it rests go together after it.
///
/// Transactions with a `NOTIFY` commit one after the other, in all processes of the server together, so a process sends
/// few of them however much happens.
struct WaitingRings {
    private var waiting: Set<SharedWork> = []
    /// Somebody sends, or rests and looks again afterwards.
    private var isAwake = false

    /// - Returns: whether somebody is to be woken who sends.
    mutating func add(_ work: SharedWork) -> Bool {
        waiting.insert(work)
        return wake()
    }

    /// - Returns: whether somebody is to begin to send.
    mutating func wake() -> Bool {
        guard !isAwake, !waiting.isEmpty else { return false }
        isAwake = true
        return true
    }

    /// What is to be sent now; when that is nothing, the sender sleeps until it is woken.
    mutating func take() -> Set<SharedWork> {
        defer { waiting = [] }
        isAwake = !waiting.isEmpty
        return waiting
    }

    /// What was taken cannot be sent now, if anything: the sender sleeps.
    mutating func putBack(_ works: Set<SharedWork> = []) {
        waiting.formUnion(works)
        isAwake = false
    }
}
