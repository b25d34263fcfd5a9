import BelfryStore
import Foundation

/// A worker claims batches that are due, in one transaction: they are leased to it (PUSH-5).
struct BatchClaim {
    let connection: any SQLConnection
    let owner: String
    /// The process, for which attempts are counted.
    let attempter: String
    let now: Date
    /// When the leases end.
    let until: Date
    /// The most batches of one app that may be in work.
    let perApp: Int

    /// - Parameters:
    ///   - limit: the most batches to claim, in addition to those that are held.
    ///   - isFree: whether one of them may be a batch that could crash the worker.
    ///   - held: the batches that the worker has in work.
    func claim(_ limit: Int, alone isFree: Bool, except held: [Batch]) throws -> ClaimedBatches {
        var found = try isFree ? claimAlone(except: held) : ClaimedBatches()
        let mine = held + (found.alone.map { [$0] } ?? [])
        found.batches = try connection.batches.claim(
            owner: owner, until: until, now: now, limit: limit - (mine.count - held.count), perApp: perApp,
            except: mine
        )
        return found
    }

    /// Leases to the owner one of the batches that may have crashed a worker, and counts the attempt before it starts
    /// (SEC-8). Batches with too many attempts are quarantined.
    private func claimAlone(except held: [Batch]) throws -> ClaimedBatches {
        let abandoned = try connection.batches.abandoned(
            now: now, limit: CampaignPlanner.sweepSize, perApp: perApp, except: held
        )
        let log = AttemptLog(connection: connection, now: now)
        let (first, starts) = try log.beginFirst(of: abandoned, owner: attempter) { .batch($0.batch) }
        if let first { try connection.batches.lease(first.batch, owner: owner, until: until) }
        return ClaimedBatches(alone: first?.batch, starts: starts)
    }
}

/// The batches that a worker claims in one turn.
struct ClaimedBatches: Sendable {
    /// A batch that failed before, or that was in work when a worker crashed; it is counted as an attempt.
    var alone: Batch?
    var batches: [Batch] = []
    /// The attempt's result for each batch that was considered for ``alone``.
    var starts: [AttemptStart] = []
}
