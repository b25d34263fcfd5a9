import BelfryModel
import Foundation

/// Makes waiting retries of batches due immediately (REG-33, REL-6).
extension BatchRepository {
    /// Makes the retries of a campaign due immediately, because their cause is fixed. Batches that are in work, or that
    /// wait for no retry, may still have devices that wait for one, so all batches are marked.
    package func hasten(_ campaign: CampaignID, now: Date) throws {
        try connection.execute(
            "UPDATE batches SET available_at = ? WHERE campaign_id = ?",
            [.integer(Self.hastened(at: now)), .integer(campaign.number)]
        )
    }

    /// The position of a batch among all batches.
    package struct Place: Hashable, Sendable {
        let campaign: Int64
        let number: Int64

        /// Before the first batch.
        fileprivate static let start = Place(campaign: .min, number: .min)
    }

    /// Makes every batch due immediately, with its retries, because a clock was set back. A batch without due work
    /// waits again after one look. This goes page by page: a transaction over all batches would run again for each
    /// batch that a worker releases meanwhile, and would hold up all workers.
    ///
    /// - Parameter place: the batch after which the page begins; nil: the first page.
    /// - Returns: the last batch of the page; nil when there are no more.
    package func hastenPage(after place: Place?, now: Date, limit: Int) throws -> Place? {
        let start = place ?? .start
        let page = try connection.query(
            """
            WITH page AS (
                SELECT campaign_id, number FROM batches WHERE (campaign_id, number) > (?, ?)
                ORDER BY campaign_id, number LIMIT ?)
            UPDATE batches SET available_at = ?, place_at = CASE WHEN place_at > ? THEN ? ELSE place_at END
            WHERE (campaign_id, number) IN (SELECT campaign_id, number FROM page)
            RETURNING campaign_id, number
            """,
            [
                .integer(start.campaign), .integer(start.number), .integer(limit), .integer(Self.hastened(at: now)),
                .date(now), .date(now),
            ]
        ) { Place(campaign: $0.integer(0), number: $0.integer(1)) }
        return page.max { ($0.campaign, $0.number) < ($1.campaign, $1.number) }
    }

    /// The due time of a batch whose devices in the ledger still have to be made due: the present moment, negated. The
    /// next worker on the batch does that, one batch at a time, even if an earlier worker died: a campaign has a
    /// thousand times as many devices as batches. An older program sees such a batch as long overdue, and lets its
    /// retries wait.
    private static func hastened(at now: Date) -> Int64 { -max(now.milliseconds, 1) }

    /// Whether the batch's retries still have to be made due.
    package func isHastened(_ batch: Batch) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM batches WHERE campaign_id = ? AND number = ? AND available_at < 0", Self.keys([batch])
        ) { $0.flag(0) } ?? false
    }

    /// Clears the mark of a batch. The caller makes its retries due in the same transaction.
    ///
    /// - Returns: whether the mark was still set: another worker may have done this since ``isHastened(_:)``, and what
    ///   waits now has then been tried again.
    package func endHastening(of batch: Batch) throws -> Bool {
        try connection.execute(
            """
            UPDATE batches SET available_at = -available_at
            WHERE campaign_id = ? AND number = ? AND available_at < 0
            """,
            Self.keys([batch])
        ) > 0
    }
}
