import BelfryStore
import Foundation

/// The batches that a worker takes up in one turn.
struct ClaimedBatches: Sendable {
    /// One that was under way when a worker died, or that has failed before.
    var alone: Batch?
    var batches: [Batch] = []
    /// What came of those that were looked at for that one.
    var starts: [AttemptStart] = []
}

extension SQLConnection {
    /// Lends the owner one of the batches that may have ended a worker, counted before it is begun (SEC-8); those that
    /// were begun too often are set aside.
    ///
    /// - Parameter attempter: the process, which counts.
    func claimAlone(
        owner: String, attempter: String, until lease: Date, now: Date, perApp: Int, except held: [Batch]
    ) throws -> ClaimedBatches {
        var found = ClaimedBatches()
        let abandoned = try batches.abandoned(
            now: now, limit: CampaignPlanner.sweepSize, perApp: perApp, except: held
        )
        for (batch, _) in abandoned {
            let start = try begin(.batch(batch), owner: attempter, now: now)
            found.starts.append(start)
            guard start == .begun else { continue }
            try batches.lend(batch, owner: owner, until: lease)
            found.alone = batch
            break
        }
        return found
    }
}
