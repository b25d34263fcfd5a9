import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Rounds of campaigns that store message center messages or change badges: both happen in one transaction before the
/// pushes are sent, once per recipient, even if the push is retried (MC-3, BADGE-1).
extension BatchDelivery {
    /// How many recipients' messages with their own rich content are written together: a few MB at most.
    private static let richStep = 32

    func deliverPrepared(
        _ load: BatchContext, accountStates: [PushProvider: PushAccounts.AccountState], now: Date
    ) async throws {
        let (placements, verdicts) = try await placements(load, now: now)
        guard try await write(verdicts, load) else { return }
        var keeping = MessageCenterMessageBuilder(load)
        var exchange = pipeline.exchange(messages(of: load), accountStates: accountStates, now: now)
        // Not more than may be in flight: after a pause or a cancel the others have neither message nor badge.
        let step = load.center?.messages.makesRichContent == true ? Self.richStep : SendsUnderWay.window
        var rest = placements[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(step)
            rest = rest.dropFirst(step)
            guard try await deliver(chosen, load, &keeping, by: &exchange) else { return }
        }
    }

    private func placements(_ load: BatchContext, now: Date) async throws -> ([InboxWrite], [DeliveryResult]) {
        var selection = CandidateSelection(load, now: now)
        guard !load.isPlacing else {
            let (placements, verdicts) = selection.placements()
            return (try await withinRate(placements, load), verdicts)
        }
        var (candidates, verdicts) = selection.candidates()
        candidates = try await withinRate(candidates, load)
        candidates = try await withinCap(candidates, load, &verdicts)
        return (candidates.map(InboxWrite.init), verdicts)
    }

    /// - Returns: whether more may be sent.
    private func deliver(
        _ placements: ArraySlice<InboxWrite>, _ load: BatchContext, _ keeping: inout MessageCenterMessageBuilder,
        by exchange: inout PushExchange<CampaignMessages>
    ) async throws -> Bool {
        // If the push cannot be sent now, message and badge wait as well. Without a push nothing waits.
        let accountStates = exchange.builder.accountStates
        let isSendable = { (placement: InboxWrite) in
            load.isPlacing || placement.push.map { accountStates.isReady($0.token.provider) } ?? true
        }
        let unsendable = placements.filter { !isSendable($0) }.compactMap(\.push)
        let (makeable, failed) = exchange.builder.makeable(placements.filter(isSendable))
        var (kept, verdicts) = keeping.kept(makeable)
        guard let preparation = try await prepare(kept, keeping.contents, load) else { return false }
        pipeline.metrics.countDeliveries(preparation.placed)
        exchange.builder.messages.badges = .stored(preparation.badges)
        kept.removeAll { !preparation.devices.contains($0.placement.recipient.device) }
        guard try await write(results(of: failed, load) + verdicts, load) else { return false }
        return try await send(kept.compactMap(\.placement.push) + unsendable, load, by: &exchange)
    }

    /// Stores messages and badges; nil when nothing more may be sent.
    private func prepare(
        _ kept: [MessageCenterMessageBuilder.Kept], _ contents: [MessageCenterMessageBuilder.Shared],
        _ load: BatchContext
    ) async throws -> Preparation? {
        let now = pipeline.environment.now()
        return try await pipeline.database.write { [batch, owner] connection in
            guard try connection.batches.isStillLeased(batch, owner: owner) else { return nil }
            return try Self.prepare(kept, contents, load, now: now, in: connection)
        }
    }

    /// Stores the messages, changes the badges, and ends the ledger rows of those who get no push.
    private static func prepare(
        _ kept: [MessageCenterMessageBuilder.Kept], _ contents: [MessageCenterMessageBuilder.Shared],
        _ load: BatchContext, now: Date, in connection: any SQLConnection
    ) throws -> Preparation {
        // Skips devices whose contact changed since the round began: the next round handles them with the new contact.
        let contacts = try connection.devices.contacts(of: kept.map(\.placement.recipient.device))
        let kept = kept.filter { contacts[$0.placement.recipient.device] == .some($0.placement.recipient.contact) }
        for content in contents {
            try connection.centerMessages.saveContent(
                campaign: load.row.id, variant: content.variant, body: content.body, richHTML: content.richHTML
            )
        }
        try connection.centerMessages.keep(kept.compactMap(\.message))
        let devices = kept.map(\.placement.recipient.device)
        let badges =
            try load.badge.map {
                try connection.badges.apply($0, devices: devices, campaign: load.row.id, maximum: load.maximumBadge)
            } ?? [:]
        let placed = kept.map(\.placement).filter { $0.push == nil }.map(DeliveryResult.placed)
        try connection.deliveries.record(placed.map(\.update), campaign: load.row.id, now: now)
        return Preparation(devices: Set(devices), badges: badges, placed: placed)
    }
}

/// What was stored for some recipients before their pushes are sent.
private struct Preparation: Sendable {
    /// The devices that it was stored for.
    let devices: Set<Int64>
    let badges: [Int64: Badge]
    /// The results of those who get no push.
    let placed: [DeliveryResult]
}
