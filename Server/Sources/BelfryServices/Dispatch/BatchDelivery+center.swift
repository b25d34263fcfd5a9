import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// Rounds of campaigns that keep messages in a centre or change badges: both happen in one transaction before the
/// pushes leave, each once for a recipient, however often the push is tried (MC-3, BADGE-1).
extension BatchDelivery {
    /// Recipients whose messages, made for each of them with rich content, are written together: some MB at most.
    private static let richStep = 32

    func deliverPrepared(
        _ load: RoundLoad, standings: [PushProvider: PushAccounts.Standing], now: Date
    ) async throws {
        let (placements, verdicts) = try await placements(load, now: now)
        guard try await write(verdicts, load) else { return }
        var keeping = CenterKeeping(load)
        var making = RequestMaking(load, standings: standings, markKey: keys.recipientMark, now: now)
        // As many as may be under way: a pause, or a cancel, leaves the others without message and badge.
        let step = load.center?.makesRichContent == true ? Self.richStep : Self.window
        var rest = placements[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(step)
            rest = rest.dropFirst(step)
            guard try await deliver(chosen, load, &keeping, &making) else { return }
        }
    }

    private func placements(_ load: RoundLoad, now: Date) async throws -> ([Placement], [Verdict]) {
        var selection = CandidateSelection(load, now: now)
        guard !load.isPlacing else {
            let (placements, verdicts) = selection.placements()
            return (try await withinRate(placements, load), verdicts)
        }
        var (candidates, verdicts) = selection.candidates()
        candidates = try await withinRate(candidates, load)
        candidates = try await withinCap(candidates, load, &verdicts)
        return (candidates.map(Placement.init), verdicts)
    }

    /// - Returns: whether more may be sent.
    private func deliver(
        _ placements: ArraySlice<Placement>, _ load: RoundLoad, _ keeping: inout CenterKeeping,
        _ making: inout RequestMaking
    ) async throws -> Bool {
        // What cannot be sent now is not counted yet, nor shown; a message without a push depends on no push service.
        let isSendable = { [making] (placement: Placement) in
            load.isPlacing || placement.push.map { making.isReady($0.token.provider) } ?? true
        }
        let unsendable = placements.filter { !isSendable($0) }.compactMap(\.push)
        let (makeable, refusals) = making.makeable(placements.filter(isSendable), jitter: environment.jitter)
        var (kept, verdicts) = keeping.kept(makeable)
        guard let preparation = try await prepare(kept, keeping.contents, load) else { return false }
        metrics.countDeliveries(preparation.placed)
        making.badges = preparation.badges
        kept.removeAll { !preparation.devices.contains($0.placement.recipient.device) }
        guard try await write(refusals + verdicts, load) else { return false }
        return try await send(kept.compactMap(\.placement.push) + unsendable, &making, load)
    }

    /// Nil when nothing more may be sent.
    private func prepare(
        _ kept: [CenterKeeping.Kept], _ contents: [CenterKeeping.Shared], _ load: RoundLoad
    ) async throws -> Preparation? {
        let now = environment.now()
        return try await database.write { [batch, owner] connection in
            guard try connection.batches.goesOn(batch, owner: owner) else { return nil }
            return try connection.prepare(kept, contents, load, now: now)
        }
    }
}

/// What was done for some recipients before their pushes leave.
private struct Preparation: Sendable {
    /// For whom it was done.
    let devices: Set<Int64>
    let badges: [Int64: Badge]
    /// About those who get no push.
    let placed: [Verdict]
}

extension SQLConnection {
    /// Keeps the messages, changes the badges, and ends the rows of those who get no push.
    fileprivate func prepare(
        _ kept: [CenterKeeping.Kept], _ contents: [CenterKeeping.Shared], _ load: RoundLoad, now: Date
    ) throws -> Preparation {
        // Who has logged in or out since the round began, or was erased, is for the next round: this one knows another.
        let contacts = try devices.contacts(of: kept.map(\.placement.recipient.device))
        let kept = kept.filter { contacts[$0.placement.recipient.device] == .some($0.placement.recipient.contact) }
        for content in contents {
            try centerMessages.saveContent(
                campaign: load.row.id, variant: content.variant, body: content.body, richHTML: content.richHTML
            )
        }
        try centerMessages.keep(kept.compactMap(\.message))
        let devices = kept.map(\.placement.recipient.device)
        let badges =
            try load.badge.map {
                try self.badges.apply($0, devices: devices, campaign: load.row.id, maximum: load.maximumBadge)
            } ?? [:]
        let placed = kept.map(\.placement).filter { $0.push == nil }.map(Verdict.placed)
        try deliveries.record(placed.map(\.update), campaign: load.row.id, now: now)
        return Preparation(devices: Set(devices), badges: badges, placed: placed)
    }
}
