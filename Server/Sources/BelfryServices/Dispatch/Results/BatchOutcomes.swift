import BelfryStore
import Foundation

/// What became of some sends of one batch, which is to be written down.
struct BatchOutcomes: Sendable {
    let batch: Batch
    let load: BatchContext
    let verdicts: [DeliveryResult]
    let owner: String
    /// Whether the batch is tried alone.
    let isAlone: Bool
    /// Whether messages are being placed.
    let isPlacing: Bool
    let now: Date

    /// Tells of each whether more of its batch may be sent.
    ///
    /// Those that wait for a writer are written together, one group at a time: several at once would stand in each
    /// other's way, and the larger a group is, the less it takes for each.
    static let writing = JointCall<BatchOutcomes, Bool>(isInTurn: true) { outcomes, connection in
        for one in outcomes { try one.write(in: connection) }
        let leases = outcomes.map {
            BatchRepository.Lease(batch: $0.batch, owner: $0.owner, isPlacing: $0.isPlacing)
        }
        return try connection.batches.areStillLeased(leases).map { .success($0) }
    }

    private func write(in connection: any SQLConnection) throws {
        try BatchResults(connection: connection, batch: batch, load: load, now: now).record(verdicts)
        // There is progress: attempts are counted from the beginning if the process crashes later.
        if isAlone { try connection.workAttempts.end(.batch(batch)) }
    }
}
