import BelfryModel
import Foundation

/// Batches that may have crashed the processes that sent them, and those in quarantine (SEC-8).
extension BatchRepository {
    /// The batches that are due and that were under way when their process died or failed. Those that were begun alone
    /// least often come first (SEC-8). Batches of an app that already has its share under way wait, without delaying
    /// other apps.
    ///
    /// They are few, and have an index of their own: a cross join keeps SQLite from starting with the campaigns.
    ///
    /// - Parameters:
    ///   - perApp: the most batches of one app that the owner has under way.
    ///   - held: the batches that the owner has under way.
    package func abandoned(
        now: Date, limit: Int, perApp: Int = .max, except held: [Batch] = []
    ) throws -> [(batch: Batch, app: Int64)] {
        let full = try fullApps(with: held, perApp: perApp)
        return try connection.query(
            """
            SELECT \(Batch.columns(of: "b", connection.dialect)), c.app_id
            FROM batches b CROSS JOIN campaigns c
            WHERE c.id = b.campaign_id AND b.lease_owner IS NOT NULL AND b.lease_until <= ? AND b.quarantined = 0
                AND \(Self.dueAt) <= ? AND coalesce(c.next_send_at, 0) <= ?
                AND c.app_id NOT IN (\(connection.dialect.integers))\(Self.without(held))
            ORDER BY coalesce((SELECT w.attempts FROM work_attempts w
                WHERE w.kind = 'batch' AND w.subject = b.campaign_id AND w.part = b.number), 0),
                b.available_at, b.campaign_id, b.number
            LIMIT ?
            """,
            [.date(now), .date(now), .date(now), .integers(full)] + Self.keys(held) + [.integer(limit)]
        ) { row in
            (batch: try Batch(row, connection.dialect), app: row.integer(Batch.columnCount(connection.dialect)))
        }
    }

    /// Leases a known batch.
    package func lease(_ batch: Batch, owner: String, until lease: Date) throws {
        try connection.execute(
            "UPDATE batches SET lease_owner = ?, lease_until = ? WHERE campaign_id = ? AND number = ?",
            [.text(owner), .date(lease)] + Self.keys([batch])
        )
    }

    package func find(campaign: CampaignID, number: Int64) throws -> Batch? {
        try connection.first(
            """
            SELECT \(Batch.columns(connection.dialect)) FROM batches WHERE campaign_id = ? AND number = ?
            """,
            [.integer(campaign.number), .integer(number)]
        ) { try Batch($0, connection.dialect) }
    }

    /// Puts a batch into quarantine, or takes it out: then it is due, and runs alone.
    package func setQuarantined(_ isQuarantined: Bool, _ batch: Batch, now: Date) throws {
        try connection.execute(
            """
            UPDATE batches SET quarantined = ?, lease_owner = 'quarantine', lease_until = 0,
                available_at = CASE WHEN available_at < 0 THEN available_at ELSE ? END,
                place_at = CASE WHEN place_at IS NULL THEN NULL ELSE CAST(? AS BIGINT) END
            WHERE campaign_id = ? AND number = ?
            """,
            [.flag(isQuarantined), .date(now), .date(now)] + Self.keys([batch])
        )
    }

    /// Whether the batch of a device is in quarantine.
    package func isQuarantined(device: Int64, of campaign: CampaignID) throws -> Bool {
        // Of batches that list their devices, several have devices of one range.
        let isListed: SQLFragment =
            connection.dialect.isDistributed
            ? " AND coalesce(\(bind: .text(String(device))) = ANY (string_to_array(device_list, ',')), true)" : ""
        return try connection.first(
            """
            SELECT 1 FROM batches
            WHERE campaign_id = ? AND quarantined = 1 AND first_device <= ? AND last_device >= ?\(isListed.sql) LIMIT 1
            """,
            [.integer(campaign.number), .integer(device), .integer(device)] + isListed.arguments
        ) { $0.flag(0) } ?? false
    }

    /// How many batches of a campaign are in quarantine.
    package func quarantined(of campaign: CampaignID) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM batches WHERE campaign_id = ? AND quarantined = 1", [.integer(campaign.number)]
        ) { Int($0.integer(0)) } ?? 0
    }
}
