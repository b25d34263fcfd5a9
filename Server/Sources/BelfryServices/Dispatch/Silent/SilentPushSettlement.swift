import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// Writes the results of claimed silent pushes, in one transaction with their consequences for devices.
struct SilentPushSettlement {
    let connection: any SQLConnection
    let owner: String
    let app: Int64
    /// Whether this is a counted attempt (SEC-8).
    let isAlone: Bool
    /// The revisions of the credentials with which the pushes were sent.
    let revisions: [PushProvider: Int64]
    let now: Date

    /// Writes the ends of pushes, and opts devices out. A push that another owner has leased in the meantime is left to
    /// that owner.
    func settle(_ results: [SilentPushResult]) throws {
        if isAlone {
            for result in results {
                try connection.workAttempts.end(.silentPush(device: result.push.device))
            }
        }
        let held = try connection.silentPushes.held(results.map(\.push.device), owner: owner)
        let states = Dictionary(held.map { ($0.device, $0.state) }) { first, _ in first }
        let rows = results.compactMap { result -> SilentPushRow? in
            guard var state = states[result.push.device], state.number == result.push.state.number else { return nil }
            state.settle(result.end, isRepeat: result.push.isRepeat, at: now)
            return SilentPushRow(device: result.push.device, state: state)
        }
        try connection.silentPushes.save(rows, owner: nil)
        let recovered = results.filter(\.endsRejection).map(\.push.device)
        if !recovered.isEmpty { try connection.optOuts.endRejections(of: recovered, now: now) }
        for (provider, own) in Dictionary(grouping: results, by: \.provider) {
            guard let provider else { continue }
            let feedback = TokenFeedback(
                connection: connection, app: app, provider: provider, revision: revisions[provider]
            )
            _ = try feedback.apply(own.compactMap(\.optOut))
        }
    }
}
