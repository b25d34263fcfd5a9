import BelfryStore
import Foundation

/// The batches that one worker has under way.
actor HeldBatches {
    private(set) var all: [Batch] = []
    private var ending: Set<Batch> = []
    private var alone = LoneWork<Batch>()

    var count: Int { all.count }

    /// Those whose leases are prolonged.
    var leased: [Batch] { all.filter { !ending.contains($0) } }

    func insert(_ batch: Batch) {
        all.append(batch)
    }

    /// Whether one that was under way when a worker died may be begun (SEC-8).
    func mayBeginAlone(at now: Date) -> Bool {
        alone.isFree(at: now)
    }

    func insertAlone(_ batch: Batch, at now: Date) {
        all.append(batch)
        alone.begin(batch, at: now)
    }

    /// It got on, so it is not what ended the worker.
    ///
    /// - Returns: whether that lets another one begin.
    func getsOn(_ batch: Batch) -> Bool {
        alone.end(batch)
    }

    /// It is about to be given back: from now on, a lease that is gone is none that was lost.
    func end(_ batch: Batch) {
        ending.insert(batch)
    }

    func remove(_ batch: Batch) {
        all.removeAll { $0 == batch }
        ending.remove(batch)
        alone.end(batch)
    }
}
