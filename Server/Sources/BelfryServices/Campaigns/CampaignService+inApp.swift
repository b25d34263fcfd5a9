import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// What only in-app campaigns have: they are published, edited while they are active, and recalled (IAM-4, IAM-10).
extension CampaignService {
    /// Removes a draft, and takes a campaign that is over off the list. An in-app campaign ends with it: who has not
    /// downloaded its message never gets it, and the copies on devices go on until their own end (IAM-10). May be
    /// repeated, but a draft is gone for good.
    package func delete(_ id: CampaignID, app: AppRecord) async throws {
        defer { inAppWork.signal() }
        let now = environment.now()
        try await database.write { connection in
            var row = try AppLookup(connection: connection, app: app.id).campaign(id)
            guard row.campaign.status != .draft else { return try connection.campaigns.delete(id) }
            guard row.campaign.deletedAt == nil else { return }
            let isOver = [.completed, .cancelled].contains(row.campaign.status)
            guard isOver || row.campaign.draft.kind.isInApp else {
                throw ServiceError.conflict(
                    message: "Campaign \(id) is \(row.campaign.status.rawValue). Cancel it first."
                )
            }
            row.campaign.deletedAt = now
            if !isOver { row.endInApp(because: "Deleted by an operator.", now: now) }
            try connection.campaigns.save(row)
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
        }
    }

    /// Takes an in-app message back also from the devices that have it, as they come to ask (IAM-10), or what a campaign
    /// has placed in message centers (MC-16). May be repeated, also after the campaign was cancelled or deleted.
    package func recall(_ id: CampaignID, app: AppRecord) async throws -> Campaign {
        defer { signal() }
        let campaign = try await change(id, app: app) { _, row, now in
            let kind = row.campaign.draft.kind
            guard kind.isInApp || kind.keepsMessage else {
                throw ServiceError.conflict(
                    message: """
                        Campaign \(id) is of kind '\(kind.rawValue)'. Only in-app messages and messages in message \
                        centers can be recalled.
                        """
                )
            }
            guard row.campaign.launchedAt != nil else {
                throw ServiceError.conflict(
                    message:
                        "Campaign \(id) is \(row.campaign.status.rawValue) and was never launched: no device has it."
                )
            }
            guard row.campaign.recalledAt == nil else { return }
            row.campaign.recalledAt = now
            guard kind.isInApp else { return }
            // One that ended by itself stays as it ended; its devices are told all the same.
            guard row.campaign.status != .completed else { return row.closeInApp() }
            row.endInApp(because: "Recalled by an operator.", now: now)
        }
        guard campaign.draft.kind.keepsMessage else { return campaign }
        // From now on none is placed; those that are go before the call is answered.
        try await PlacedMessageService(database: database, environment: environment).recallAll(of: id)
        return campaign
    }
}

extension CampaignRow {
    /// Whether its message may be on devices, or was to be.
    var isOfInApp: Bool { campaign.draft.kind.isInApp && campaign.launchedAt != nil }

    /// Whether an edit is published at once.
    var isPublished: Bool { isOfInApp && (campaign.status == .active || campaign.status == .paused) }

    /// Nobody downloads it any more.
    fileprivate mutating func endInApp(because reason: String, now: Date) {
        campaign.status = .cancelled
        campaign.statusReason = reason
        campaign.endedAt = campaign.endedAt ?? now
        closeInApp()
    }

    /// Lets what the ledger of a campaign that is over has pending be ended, as its state says; after a recall, devices
    /// that have its message are told.
    mutating func closeInApp() {
        // One that has never begun has nobody in its ledger.
        guard campaign.launchedAt != nil else { return isPlanned = true }
        closedTo = 0
    }
}
