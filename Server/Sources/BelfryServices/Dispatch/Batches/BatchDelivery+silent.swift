import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Rounds of silent campaigns. Each push needs its device's turn first, from the budget that it shares with the
/// server's own silent pushes (PUSH-7).
extension BatchDelivery {
    func deliverSilently(
        _ candidates: [Candidate], _ load: BatchContext, accountStates: [PushProvider: PushAccounts.AccountState],
        now: Date
    ) async throws {
        var exchange = pipeline.exchange(messages(of: load), accountStates: accountStates, now: now)
        var rest = candidates[...]
        while !rest.isEmpty {
            // As many as may be in flight: if the campaign is paused, the others have not used up any turns.
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

    /// Takes the turns of the pushes that may be sent now; nil if no more may be sent.
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
    /// The server's own reasons that the push also carries; nil if the push is not sent now.
    var along: SilentPushReasons? {
        if case .now(let along) = self { along } else { nil }
    }

    /// The ledger's result for a push that is not sent now; nil for a push that is. A push that would wait for the
    /// budget until its time is over ends immediately.
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
    /// Whether the campaign's push only wakes the app, so that any other silent push does the same.
    var saysNothing: Bool { content.custom?.isEmpty ?? true }
}
