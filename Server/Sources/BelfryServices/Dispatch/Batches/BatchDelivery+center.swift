import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Rounds of campaigns that keep messages. Messages are placed first, for each recipient whose time has come,
/// regardless of push services, opt-outs and the frequency cap (MC-16). Each device's badge changes together with its
/// message (BADGE-1).
extension BatchDelivery {
    /// How many recipients' messages with their own rich content are written in one transaction: a few MB at most.
    private static let richStep = 32
    /// How many other messages are written in one transaction. After a pause by an operator or a cancel the remaining
    /// recipients get neither message nor badge.
    private static let step = SendsUnderWay.window

    /// The work that is left once the messages are in their message centers.
    struct Placed {
        /// The recipients whose push is still to be decided or sent.
        var recipients: [Recipient]
        /// The badge pushes of a message-center campaign.
        var badgePushes: [Candidate] = []
    }

    /// - Returns: nil if the round must stop.
    func place(_ load: BatchContext, now: Date) async throws -> Placed? {
        var selection = CandidateSelection(load, now: now)
        var (placements, results) = selection.placements()
        if load.isPlacing { placements = try await withinRate(placements, load) }
        guard try await write(results, load, isPlacing: true) else { return nil }
        var building = MessageCenterMessageBuilder(load)
        let step = load.center?.messages.makesRichContent == true ? Self.richStep : Self.step
        var placed = Placed(recipients: load.isPlacing ? [] : load.recipients.filter(\.isPlaced))
        var rest = placements[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(step)
            rest = rest.dropFirst(step)
            let (kept, unmakeable) = building.kept(chosen)
            guard let stored = try await store(kept, building.contents, load),
                try await write(unmakeable, load, isPlacing: true)
            else { return nil }
            pipeline.metrics.countDeliveries(stored.ended)
            trace(stored.ended, load)
            let there = kept.lazy.map(\.placement).filter { stored.devices.contains($0.recipient.device) }
            if load.isPlacing {
                let pushes = there.compactMap(\.push)
                placed.badgePushes += pushes
                // Accounts are looked up only for recipients to whom a push is sent.
                placed.recipients += pushes.map(\.recipient)
            } else {
                placed.recipients += there.map(\.recipient)
            }
        }
        return placed
    }

    /// Stores messages and badges; nil if no more may be placed.
    private func store(
        _ kept: [MessageCenterMessageBuilder.Kept], _ contents: [MessageCenterMessageBuilder.Shared],
        _ load: BatchContext
    ) async throws -> StoredPlacements? {
        let now = pipeline.environment.now()
        return try await pipeline.database.write { [batch, owner] connection in
            // Messages are placed only on those devices that still have these contacts.
            try connection.hold { kept.map { $0.placement.recipient.contact } }
            guard try connection.batches.isStillLeased(batch, owner: owner, isPlacing: true),
                try load.isRecalled || !connection.campaigns.isRecalled(batch.campaign)
            else { return nil }
            return try StoredPlacements(kept, contents, load, now: now, in: connection)
        }
    }

    /// Sends pushes with badges. The badges change first, in one transaction for as many pushes as may be in flight,
    /// and once for each device, even if its push is retried (BADGE-1).
    func sendBadged(
        _ candidates: [Candidate], _ load: BatchContext, by exchange: inout PushExchange<CampaignMessages>
    ) async throws {
        var rest = candidates[...]
        while !rest.isEmpty {
            let chosen = rest.prefix(Self.step)
            rest = rest.dropFirst(Self.step)
            // If the push cannot be sent now, its badge waits as well.
            let accountStates = exchange.builder.accountStates
            let unsendable = chosen.filter { !accountStates.isReady($0.token.provider) }
            var (makeable, failed) = exchange.builder.makeable(
                chosen.filter { accountStates.isReady($0.token.provider) }
            )
            guard let badges = try await changeBadges(of: makeable, load) else { return }
            exchange.builder.messages.badges = .stored(badges)
            makeable.removeAll { badges[$0.recipient.device] == nil }
            guard try await write(results(of: failed, load), load),
                try await send(makeable + unsendable, load, by: &exchange)
            else { return }
        }
    }

    /// The changed badges of those devices whose contact is still the one that the round began with; the next round
    /// handles the others. Nil if no more may be sent.
    private func changeBadges(of candidates: [Candidate], _ load: BatchContext) async throws -> [Int64: Badge]? {
        guard let change = load.badge else { return [:] }
        return try await pipeline.database.write { [batch, owner] connection in
            guard try connection.batches.isStillLeased(batch, owner: owner) else { return nil }
            let devices = candidates.map(\.recipient.device)
            let contacts = try connection.devices.contacts(of: devices)
            let unchanged = candidates.map(\.recipient).filter { contacts[$0.device]?.isStill($0.contact) == true }
            return try connection.badges.apply(
                change, devices: unchanged.map(\.device), campaign: batch.campaign, maximum: load.maximumBadge
            )
        }
    }
}

/// The result of storing messages and badges for some recipients.
private struct StoredPlacements: Sendable {
    /// The devices for which messages and badges were stored.
    let devices: Set<Int64>
    /// The results for recipients of a message-center campaign who get no push.
    let ended: [DeliveryResult]

    /// Stores the messages, changes the badges, and ends the ledger rows of those who get no push.
    init(
        _ kept: [MessageCenterMessageBuilder.Kept], _ contents: [MessageCenterMessageBuilder.Shared],
        _ load: BatchContext, now: Date, in connection: any SQLConnection
    ) throws {
        // Skips devices whose contact changed since the round began: the next round handles them with the new contact.
        let contacts = try connection.devices.contacts(of: kept.map(\.placement.recipient.device))
        let kept = kept.filter {
            let recipient = $0.placement.recipient
            return contacts[recipient.device]?.isStill(recipient.contact) == true
        }
        for content in contents {
            try connection.centerMessages.saveContent(
                campaign: load.row.id, variant: content.variant, body: content.body, richHTML: content.richHTML
            )
        }
        try connection.centerMessages.keep(
            kept.compactMap { entry in
                contacts[entry.placement.recipient.device].flatMap { entry.message(in: $0.holder) }
            }
        )
        let devices = kept.map(\.placement.recipient.device)
        try connection.deliveries.settlePlacing(
            of: devices, known: Set(contacts.values.compactMap(\.known)), campaign: load.row.id,
            hasMessage: !load.isRecalled
        )
        if let badge = load.badge, !load.isRecalled {
            // A push without a message changes its badge when it is sent.
            let reached = load.isPlacing ? kept : kept.filter { $0.message != nil }
            _ = try connection.badges.apply(
                badge, devices: reached.map(\.placement.recipient.device), campaign: load.row.id,
                maximum: load.maximumBadge
            )
        }
        ended = load.isPlacing ? kept.map(\.placement).filter { $0.push == nil }.map(DeliveryResult.placed) : []
        try connection.deliveries.record(ended.map(\.update), campaign: load.row.id, now: now)
        self.devices = Set(devices)
    }
}
