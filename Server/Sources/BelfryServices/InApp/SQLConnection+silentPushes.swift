import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

extension SQLConnection {
    /// Lends the owner an app's pushes that are due.
    func takeSilentPushes(
        of app: Int64, owner: String, now: Date, until lease: Date, limit: Int, except held: [Int64]
    ) throws -> [TakenSilentPush] {
        var rows = try silentPushes.due(app: app, now: now, limit: limit, except: held)
        let taken = rows.indices.map { index in
            let isRepeat = rows[index].state.take(at: now, until: lease)
            return TakenSilentPush(device: rows[index].device, state: rows[index].state, isRepeat: isRepeat)
        }
        try silentPushes.save(rows, owner: owner)
        return taken
    }

    /// Lends the owner one of the pushes that may have ended a worker, counted before it is begun (SEC-8); those that were
    /// begun too often are set aside.
    ///
    /// - Parameters:
    ///   - attempter: the process, which counts.
    ///   - apps: those whose pushes are to wait.
    func takeSilentPushAlone(
        owner: String, attempter: String, now: Date, until lease: Date, except held: [Int64], apps: [Int64]
    ) throws -> LoneSilentPush {
        var found = LoneSilentPush()
        for (row, app) in try silentPushes.abandoned(now: now, limit: 20, except: held, apps: apps) {
            let start = try begin(.silentPush(device: row.device), owner: attempter, now: now)
            found.starts.append(start)
            guard start == .begun else { continue }
            var row = row
            let isRepeat = row.state.take(at: now, until: lease)
            try silentPushes.save([row], owner: owner)
            found.push = TakenSilentPush(device: row.device, state: row.state, isRepeat: isRepeat)
            found.app = app
            break
        }
        return found
    }

    /// Writes ends, and opts devices out. What has gone to another owner meanwhile is that one's to end.
    ///
    /// - Parameters:
    ///   - isAlone: whether it was counted before it was begun.
    ///   - revisions: of the credentials that were used.
    func settle(
        _ verdicts: [SilentPushVerdict], isAlone: Bool, owner: String, app: Int64, revisions: [PushProvider: Int64],
        now: Date
    ) throws {
        if isAlone {
            for verdict in verdicts { try workAttempts.end(.silentPush(device: verdict.push.device)) }
        }
        let held = try silentPushes.held(verdicts.map(\.push.device), owner: owner)
        let states = Dictionary(held.map { ($0.device, $0.state) }) { first, _ in first }
        let rows = verdicts.compactMap { verdict -> SilentPushRow? in
            guard var state = states[verdict.push.device], state.number == verdict.push.state.number else { return nil }
            state.settle(verdict.end, isRepeat: verdict.push.isRepeat, at: now)
            return SilentPushRow(device: verdict.push.device, state: state)
        }
        try silentPushes.save(rows, owner: nil)
        for (provider, own) in Dictionary(grouping: verdicts, by: \.provider) {
            let optOuts = own.compactMap(\.optOut)
            guard let provider, !optOuts.isEmpty else { continue }
            // What former credentials were blamed for is settled (REG-33, REG-35).
            let isSettled = try credentials.find(app: app, provider: provider)?.revision != revisions[provider]
            try devices.optOut(isSettled ? optOuts.filter { $0.optOut.reason == .tokenInvalid } : optOuts)
        }
    }
}

/// A push that was taken up alone, if there was one.
struct LoneSilentPush: Sendable {
    var push: TakenSilentPush?
    var app: Int64 = 0
    /// What came of those that were looked at for it.
    var starts: [AttemptStart] = []
}
