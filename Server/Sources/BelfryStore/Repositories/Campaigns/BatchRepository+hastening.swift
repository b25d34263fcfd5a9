import BelfryModel
import Foundation

/// Batches in which what waits for a retry is to be due at once (REG-33, REL-6).
extension BatchRepository {
    /// Makes what waits for a retry due at once: the cause is mended. Batches that are in work or wait for no retry have
    /// devices that do, so all are marked.
    package func hasten(_ campaign: CampaignID, now: Date) throws {
        try connection.execute(
            "UPDATE batches SET available_at = ? WHERE campaign_id = ?",
            [.integer(Self.hastened(at: now)), .integer(campaign.number)]
        )
    }

    /// Where a batch lies among all of them.
    package struct Place: Hashable, Sendable {
        let campaign: Int64
        let number: Int64

        /// Before the first one.
        fileprivate static let start = Place(campaign: .min, number: .min)
    }

    /// A clock was set back: every batch is due at once, and with it what waits for a retry. One in which nothing is due
    /// waits again after a look. Page by page: a transaction that writes all of them would run again for each one that
    /// somebody gives back meanwhile, and hold up all who do.
    ///
    /// - Parameter place: that of the batch behind which the page begins; nil: the first page.
    /// - Returns: that of the last batch of the page; nil when there is none behind the place.
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

    /// The moment since which a batch is due, below zero: its devices in the ledger are still to be hastened. Whoever works
    /// on it next does that, a batch at a time, whoever died before: a campaign has a thousand times as many devices as it
    /// has batches. A program of before takes such a batch for one that is long due, and lets its retries wait.
    private static func hastened(at now: Date) -> Int64 { -max(now.milliseconds, 1) }

    /// Whether the devices of a batch that wait for a retry are still to be hastened.
    package func isHastened(_ batch: Batch) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM batches WHERE campaign_id = ? AND number = ? AND available_at < 0", Self.keys([batch])
        ) { $0.flag(0) } ?? false
    }

    /// They are hastened in the same transaction.
    ///
    /// - Returns: whether they were still to be: somebody else may have done it since ``isHastened(_:)``, and what waits
    ///   by now has been tried again.
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
