import BelfryModel
import BelfryStore
import Foundation

/// Writes a launched campaign's audience into the ledger, batch by batch, and closes what is done.
package struct CampaignPlanner: Sendable {
    /// Devices in one batch: what one worker leases at once.
    package static let batchSize = 1_000

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
            let audience = try connection.audience(row.campaign.draft.audience, app: row.app)
            let planned = try connection.deliveries.plan(
                row.id, app: row.app, audience: audience, devices: (row.plannedTo + 1)..<(row.planEnd + 1),
                limit: Self.batchSize, now: now
            )
            if let planned {
                let batch = Batch(campaign: row.id, number: planned.range.lowerBound, devices: planned.range)
                try connection.batches.insert(batch, availableAt: now)
                row.plannedTo = planned.range.upperBound
            }
            row.isPlanned = (planned?.count ?? 0) < Self.batchSize
            try connection.campaigns.save(row)
            if row.isPlanned { try connection.completeIfDone(row.id, now: now) }
            return true
        }
    }

    /// Ends as cancelled what a cancelled campaign has pending and nobody is sending.
    package func sweepCancelled() async throws {
        let now = environment.now()
        try await database.write { connection in
            for batch in try connection.batches.cancelledAndFree(now: now) {
                try connection.deliveries.cancelPending(of: batch, reason: .campaignCancelled, now: now)
                try connection.batches.delete(batch)
            }
        }
    }
}

extension SQLConnection {
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
