import BelfryModel
import BelfryStore

/// A row of the ledger that says accepted, by what a push service knows of it.
package struct AcceptedDelivery: Hashable, Sendable {
    package let campaign: CampaignID
    package let token: String

    package init(campaign: CampaignID, token: String) {
        self.campaign = campaign
        self.token = token
    }
}

extension OpenTestStore {
    /// The accepted deliveries in the ledger at this moment.
    package func acceptedDeliveries() async throws -> Set<AcceptedDelivery> {
        try await database.read { connection in
            let rows = try connection.query(
                """
                SELECT l.campaign_id, d.push_token FROM deliveries l JOIN devices d ON d.id = l.device_id
                WHERE l.state = 'accepted' AND d.push_token IS NOT NULL
                """,
                []
            ) { row in
                CampaignID(row.integer(0)).map { AcceptedDelivery(campaign: $0, token: row.text(1)) }
            }
            return Set(rows.compactMap { $0 })
        }
    }

    /// How many rows of the ledger wait to be sent, now.
    package func pendingDeliveries() async throws -> Int {
        try await database.read { connection in
            let count: SQLText = "SELECT count(*) FROM deliveries WHERE state = 'pending'"
            return Int(try connection.first(count, []) { $0.integer(0) } ?? 0)
        }
    }

    /// How many batches a server has in work, now: sends that it has begun are among theirs until it gives them back.
    package func batchesInWork() async throws -> Int {
        try await database.read { connection in
            let count: SQLText = "SELECT count(*) FROM batches WHERE lease_owner IS NOT NULL"
            return Int(try connection.first(count, []) { $0.integer(0) } ?? 0)
        }
    }

    /// The most attempts at a batch that counts (SEC-8), now.
    package func batchAttempts() async throws -> Int {
        try await database.read { connection in
            let most: SQLText = "SELECT max(attempts) FROM work_attempts WHERE kind = 'batch'"
            return Int(try connection.first(most, []) { $0.optionalInteger(0) ?? 0 } ?? 0)
        }
    }
}
