import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Rounds of silent campaigns: each push has to get its device's turn first, in the budget that it shares with the
/// server's own silent pushes (PUSH-7).
extension BatchDelivery {
    func deliverSilently(
        _ candidates: [Candidate], _ load: BatchContext, accountStates: [PushProvider: PushAccounts.AccountState],
        now: Date
    ) async throws {
        var exchange = pipeline.exchange(messages(of: load), accountStates: accountStates, now: now)
        var rest = candidates[...]
        while !rest.isEmpty {
            // Not more than may be in flight: after a pause the others have taken nobody's turn.
            let chosen = Array(rest.prefix(SendsUnderWay.window))
            rest = rest.dropFirst(SendsUnderWay.window)
            guard let turns = try await turns(of: chosen, load) else { return }
            exchange.builder.messages.along = turns.compactMapValues(\.along)
            let held = chosen.compactMap { candidate in
                turns[candidate.recipient.device].flatMap { $0.result(for: candidate) }
            }
            let sent = chosen.filter { turns[$0.recipient.device]?.along != nil }
            guard try await write(held, load), try await send(sent, load, by: &exchange) else { return }
        }
    }

    /// Takes the turns of those that may leave; nil when nothing more may be sent.
    private func turns(of candidates: [Candidate], _ load: BatchContext) async throws -> [Int64: CampaignPushTurn]? {
        let now = pipeline.environment.now()
        return try await pipeline.database.write { [batch, owner] connection in
            guard try connection.batches.isStillLeased(batch, owner: owner) else { return nil }
            let devices = candidates.map(\.recipient.device)
            try connection.silentPushes.insert(devices, app: load.row.app)
            var states = try connection.silentPushes.states(of: devices)
            var turns: [Int64: CampaignPushTurn] = [:]
            for candidate in candidates {
                turns[candidate.recipient.device] = states[candidate.recipient.device]?.take(
                    for: batch.campaign, dueSince: candidate.timing.start, merges: load.saysNothing, at: now
                )
            }
            let taken = states.filter { turns[$0.key]?.along != nil }
            try connection.silentPushes.save(taken.map { SilentPushRow(device: $0.key, state: $0.value) }, owner: nil)
            return turns
        }
    }
}

extension CampaignPushTurn {
    /// What the push takes along; nil when it does not leave now.
    var along: SilentPushReasons? {
        if case .now(let along) = self { along } else { nil }
    }

    /// What the ledger says of a push that does not leave now. One that the budget would hold back until its time is over
    /// ends at once.
    func result(for candidate: Candidate) -> DeliveryResult? {
        switch self {
        case .now: nil
        case .merged: .merged(candidate.recipient)
        case .later(let date) where candidate.timing.expiresAt < date: .suppressed(candidate.recipient, .silentBudget)
        case .later(let date): .waitingForBudget(candidate.recipient, until: date)
        }
    }
}

extension BatchContext {
    /// Whether its push does nothing but wake the app, so that any other push does as well.
    var saysNothing: Bool { content.custom?.isEmpty ?? true }
}
