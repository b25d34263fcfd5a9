import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// One step of a walk over an in-app campaign's audience, or over its ledger, inside the transaction that writes it.
/// Each device of the audience gets a row of the ledger and is to get a silent push (IAM-2).
struct InAppAudienceWalk {
    let connection: any SQLConnection
    let now: Date

    /// Writes the devices that a scan of the audience has found.
    func plan(_ look: AudienceScan, of row: inout CampaignRow, isLast: Bool) throws -> InAppPlanner.Changed {
        if case .unreadable = look.finding {
            throw StoreError.corrupted(table: "campaigns", key: String(row.id.number))
        }
        guard try look.stands(row) else { return .outdated(.campaign) }
        switch look.finding {
        case .slice(let slice):
            let slice = try slice.unmoved(app: row.app, isLast: isLast, in: connection)
            guard slice.reached > row.plannedTo || row.plannedTo >= row.planEnd else { return .outdated(.device) }
            try write(slice, of: &row)
            try connection.campaigns.save(row)
            return .saved
        case .rejected(let error):
            let failed = row.fail(because: error, now: now)
            row.closeInApp()
            try connection.campaigns.save(row)
            try connection.inAppRevisions.advance(app: row.app, now: now)
            return .failed(failed)
        case .unreadable: return .outdated(.campaign)
        }
    }

    /// Only an active campaign's devices get a silent push, not those of a paused or ended one.
    private func write(_ slice: AudienceSlice, of row: inout CampaignRow) throws {
        try connection.inAppDeliveries.plan(row.id, app: row.app, members: slice.members, now: now)
        if row.campaign.status == .active { try wake(slice.members.map(\.device)) }
        row.plannedTo = max(slice.reached, row.plannedTo)
        row.isPlanned = row.plannedTo >= row.planEnd
    }

    /// Ends the pending deliveries in the next rows of the ledger of a campaign that has ended.
    ///
    /// - Parameter isTraced: whether the ended deliveries are reported to the traces.
    func close(_ row: inout CampaignRow, isTraced: Bool) throws -> [EndedDeliveries] {
        let slice = try connection.inAppDeliveries.states(
            of: row.id, after: row.closedTo ?? 0, limit: InAppPlanner.sliceSize
        )
        guard let first = slice.first?.device, let last = slice.last?.device else {
            row.closedTo = nil
            return []
        }
        let (state, reason): (DeliveryState, DeliveryReason) =
            row.campaign.status == .completed ? (.suppressed, .expired) : (.cancelled, .campaignCancelled)
        let id = row.id
        let ended = try DeliveryEnding(connection: connection, isTraced: isTraced).pending(
            of: id, devices: first...last
        ) {
            try connection.deliveries.endPending(of: id, devices: first...last, as: state, reason: reason, now: now)
        }
        if row.campaign.recalledAt != nil { try wake(slice.filter { $0.state == .accepted }.map(\.device)) }
        row.closedTo = slice.count == InAppPlanner.sliceSize ? last : nil
        return ended
    }

    /// Requests a silent push for those of the devices that can be woken, within their budget (PUSH-7).
    private func wake(_ devices: [Int64]) throws {
        try connection.silentPushes.request(.inApp, devices: devices, interval: SilentPushBudget.interval, now: now)
    }
}
