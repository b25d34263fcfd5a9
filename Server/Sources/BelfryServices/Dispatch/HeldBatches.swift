import BelfryStore

/// The batches that one worker has under way.
actor HeldBatches {
    private(set) var all: [Batch] = []
    private var ending: Set<Batch> = []

    var count: Int { all.count }

    /// Those whose leases are prolonged.
    var leased: [Batch] { all.filter { !ending.contains($0) } }

    func insert(_ batch: Batch) {
        all.append(batch)
    }

    /// It is about to be given back: from now on, a lease that is gone is none that was lost.
    func end(_ batch: Batch) {
        ending.insert(batch)
    }

    func remove(_ batch: Batch) {
        all.removeAll { $0 == batch }
        ending.remove(batch)
    }
}
