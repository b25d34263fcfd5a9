import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A worker claims silent pushes that are due, in one transaction: they are leased to it (PUSH-7).
struct SilentPushClaim {
    let connection: any SQLConnection
    let owner: String
    let now: Date
    /// When the leases end.
    let until: Date

    /// Leases an app's due pushes to the owner. Pushes that a wrong clock has made due too early stay pending.
    ///
    /// - Parameters:
    ///   - limit: the most pushes to claim.
    ///   - held: devices whose pushes the worker has in work.
    func claim(of app: Int64, limit: Int, except held: [Int64]) throws -> [ClaimedSilentPush] {
        var (due, early): ([SilentPushRow], [SilentPushRow]) = ([], [])
        for var row in try connection.silentPushes.due(app: app, now: now, limit: limit, except: held) {
            if row.state.holdBack(at: now) { early.append(row) } else { due.append(row) }
        }
        try connection.silentPushes.save(early, owner: nil)
        return try claim(due)
    }

    /// Leases one of the pushes that may have crashed a worker to the owner, and counts the attempt before it starts
    /// (SEC-8). Pushes with too many attempts are quarantined.
    ///
    /// - Parameters:
    ///   - attempter: the process, for which attempts are counted.
    ///   - apps: the apps that have no free slot.
    func claimAlone(attempter: String, except held: [Int64], apps: [Int64]) throws -> LoneSilentPush {
        let abandoned = try connection.silentPushes.abandoned(now: now, limit: 20, except: held, apps: apps)
        let log = AttemptLog(connection: connection, now: now)
        let (first, starts) = try log.beginFirst(of: abandoned, owner: attempter) {
            .silentPush(device: $0.row.device)
        }
        guard let begun = first else { return LoneSilentPush(starts: starts) }
        return LoneSilentPush(push: try claim([begun.row]).first, app: begun.app, starts: starts)
    }

    private func claim(_ rows: [SilentPushRow]) throws -> [ClaimedSilentPush] {
        var rows = rows
        let claimed = rows.indices.map { index in
            let isRepeat = rows[index].state.take(at: now, until: until)
            return ClaimedSilentPush(device: rows[index].device, state: rows[index].state, isRepeat: isRepeat)
        }
        try connection.silentPushes.save(rows, owner: owner)
        return claimed
    }
}

/// A silent push that a worker has leased.
struct ClaimedSilentPush: Sendable {
    let device: Int64
    /// Its state when it was claimed.
    let state: SilentPushState
    /// Whether the same push may have been sent before.
    let isRepeat: Bool
}

/// A push that may crash the process, claimed alone if there was one.
struct LoneSilentPush: Sendable {
    var push: ClaimedSilentPush?
    var app: Int64 = 0
    /// The attempt's result for each push that was considered.
    var starts: [AttemptStart] = []
}
