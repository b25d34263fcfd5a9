import BelfryStore

/// The rings that wait to be sent. The first is sent immediately; those that come during the pause after it are sent
/// together.
///
/// Transactions with a `NOTIFY` commit one after the other, across all processes of the server, so a process sends few
/// of them however much happens.
struct WaitingRings {
    private var waiting: Set<SharedWork> = []
    /// The sender is active: it sends, or pauses and looks again afterwards.
    private var isAwake = false

    /// - Returns: whether the sender must be woken.
    mutating func add(_ work: SharedWork) -> Bool {
        waiting.insert(work)
        return wake()
    }

    /// - Returns: whether the sender must start.
    mutating func wake() -> Bool {
        guard !isAwake, !waiting.isEmpty else { return false }
        isAwake = true
        return true
    }

    /// The work to announce now; if it is empty, the sender sleeps until it is woken.
    mutating func take() -> Set<SharedWork> {
        defer { waiting = [] }
        isAwake = !waiting.isEmpty
        return waiting
    }

    /// Puts back work that cannot be announced now, if any; the sender sleeps.
    mutating func putBack(_ works: Set<SharedWork> = []) {
        waiting.formUnion(works)
        isAwake = false
    }
}
