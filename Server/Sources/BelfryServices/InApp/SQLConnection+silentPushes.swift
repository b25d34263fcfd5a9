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

    /// Writes ends, and opts devices out. What has gone to another owner meanwhile is that one's to end.
    ///
    /// - Parameter revisions: of the credentials that were used.
    func settle(
        _ verdicts: [SilentPushVerdict], owner: String, app: Int64, revisions: [PushProvider: Int64], now: Date
    ) throws {
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
