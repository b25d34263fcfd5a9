import BelfryModel
import BelfryStore
import Foundation

/// Writes a launched campaign's audience into the ledger, batch by batch, and closes what is done.
package struct CampaignPlanner: Sendable {
    /// Devices in one batch: what one worker leases at once.
    package static let batchSize = 1_000
    /// Devices that one step looks at: a rare audience among many devices must not hold the database up.
    static let scanSize: Int64 = 50_000
    /// Batches that one step cancels.
    static let sweepSize = 20

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Plans one more batch of some campaign; false when every audience stands in the ledger.
    package func planNext() async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            guard var row = try connection.campaigns.unplanned() else { return false }
            do {
                try connection.planBatch(of: &row, now: now)
            } catch let refusal as Refusal {
                row.giveUp(because: refusal, now: now)
            }
            try connection.campaigns.save(row)
            if row.isPlanned { try connection.completeIfDone(row.id, now: now) }
            return true
        }
    }

    /// Ends as cancelled what a cancelled campaign has pending and nobody is sending; false when nothing is left.
    package func sweepCancelled() async throws -> Bool {
        let now = environment.now()
        return try await database.write { connection in
            let batches = try connection.batches.cancelledAndFree(now: now, limit: Self.sweepSize)
            for batch in batches {
                try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
                try connection.batches.delete(batch)
            }
            return batches.count == Self.sweepSize
        }
    }
}

extension CampaignRow {
    /// Ends a campaign whose audience cannot be selected any more (an attribute has another type than at its launch):
    /// left as it is, it would stop the planning of all others.
    fileprivate mutating func giveUp(because refusal: Refusal, now: Date) {
        campaign.status = .cancelled
        campaign.statusReason = "Its audience cannot be selected any more: \(refusal.message)"
        campaign.endedAt = now
        isPlanned = true
    }
}

extension SQLConnection {
    fileprivate func planBatch(of row: inout CampaignRow, now: Date) throws {
        let audience = try audience(row.campaign.draft.audience, app: row.app)
        let scanEnd = min(row.planEnd, row.plannedTo + CampaignPlanner.scanSize)
        let planned = try deliveries.plan(
            row.id, app: row.app, audience: audience, devices: (row.plannedTo + 1)..<(scanEnd + 1),
            limit: CampaignPlanner.batchSize, now: now
        )
        if let planned {
            let batch = Batch(campaign: row.id, number: planned.range.lowerBound, devices: planned.range)
            try batches.insert(batch, availableAt: now)
        }
        let isFull = planned?.count == CampaignPlanner.batchSize
        row.plannedTo = isFull ? planned?.range.upperBound ?? scanEnd : scanEnd
        row.isPlanned = row.plannedTo >= row.planEnd
    }

    /// A campaign is completed when its audience stands in the ledger and no batch is left.
    func completeIfDone(_ id: CampaignID, now: Date) throws {
        guard var row = try campaigns.find(id), row.campaign.status == .sending, row.isPlanned,
            try batches.count(of: id) == 0
        else { return }
        row.campaign.status = .completed
        row.campaign.endedAt = now
        try campaigns.save(row)
    }
}
