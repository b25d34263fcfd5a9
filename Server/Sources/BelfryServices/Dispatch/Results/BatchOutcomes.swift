import BelfryStore
import Foundation

/// The results of some sends of one batch that are to be written.
struct BatchOutcomes: Sendable {
    let batch: Batch
    let load: BatchContext
    let results: [DeliveryResult]
    let owner: String
    /// Whether this is a counted attempt of the batch (SEC-8).
    let isAlone: Bool
    /// Whether messages are being placed.
    let isPlacing: Bool
    let now: Date

    /// Writes outcomes, and returns for each whether more of its batch may be sent.
    ///
    /// Outcomes that wait for the writer are written together, one group at a time: parallel groups would block each
    /// other, and a larger group costs less for each outcome.
    static let writing = JointCall<BatchOutcomes, Bool>(isInTurn: true) { outcomes, connection in
        for one in outcomes { try one.write(in: connection) }
        let leases = outcomes.map {
            BatchRepository.Lease(batch: $0.batch, owner: $0.owner, isPlacing: $0.isPlacing)
        }
        return try connection.batches.areStillLeased(leases).map { .success($0) }
    }

    private func write(in connection: any SQLConnection) throws {
        try BatchResults(connection: connection, batch: batch, load: load, now: now).record(results)
        // There is progress, so if the process crashes later, attempts are counted from zero.
        if isAlone { try connection.workAttempts.end(.batch(batch)) }
    }
}
