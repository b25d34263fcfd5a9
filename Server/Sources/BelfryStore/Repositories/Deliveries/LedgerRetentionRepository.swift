import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign that ended longer ago than the app's retention period for ledgers.
package struct LapsedLedger: Hashable, Sendable {
    package let campaign: CampaignID
    package let endedAt: Date
    /// When the campaign was last summed; nil if never.
    package let summedAt: Date?
    /// Whether any device was still pending when the campaign was summed.
    package let hasPending: Bool
}

/// The position of the search for such campaigns: after the one that ended then.
package struct LapsedPosition: Hashable, Sendable {
    /// Before the first campaign.
    package static let start = LapsedPosition(endedAt: .min, campaign: .min)

    let endedAt: Int64
    let campaign: Int64
}

extension LapsedLedger {
    package var position: LapsedPosition {
        LapsedPosition(endedAt: endedAt.milliseconds, campaign: campaign.number)
    }
}

/// Removes the ledgers of campaigns after the app's retention period. A campaign's ledger is removed as a whole, and
/// its sums stay (LED-3). The campaign is marked first, so that nobody takes the remaining rows for the whole ledger;
/// then the rows are deleted, some at a time.
package struct LedgerRetentionRepository {
    let connection: any SQLConnection

    /// Campaigns of an app that ended before a moment and no longer change, in the order in which they ended. An in-app
    /// message that devices may still show, because it has no end and was not recalled, keeps its ledger: a later
    /// recall needs it (IAM-10).
    package func lapsed(
        app: Int64, before moment: Date, after position: LapsedPosition, limit: Int
    ) throws -> [LapsedLedger] {
        try connection.query(
            Self.lapsedSQL(connection.dialect),
            [
                .integer(app), .date(moment), .integer(position.endedAt), .integer(position.campaign), .date(moment),
                .date(moment), .integer(limit),
            ]
        ) { row -> LapsedLedger? in
            let row = ResultRow<LapsedColumn>(row)
            return CampaignID(row.integer(.campaign)).map { campaign in
                LapsedLedger(
                    campaign: campaign, endedAt: row.date(.endedAt), summedAt: row.optionalDate(.summedAt),
                    hasPending: row.flag(.hasPending)
                )
            }
        }.compactMap(\.self)
    }

    private enum LapsedColumn: Int, ResultColumn {
        case campaign, endedAt, summedAt, hasPending

        var sql: SQLText {
            switch self {
            case .campaign: "id"
            case .endedAt: "ended_at"
            case .summedAt: "summed_at"
            case .hasPending:
                """
                CASE WHEN EXISTS (
                    SELECT 1 FROM campaign_outcomes o WHERE o.campaign_id = campaigns.id AND o.state = 'pending')
                    THEN 1 ELSE 0 END
                """
            }
        }
    }

    /// Its arguments are the app, the moment, the position (time and number), the moment twice more, and the limit.
    package static func lapsedSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(LapsedColumn.selectList)
        FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND launched_at IS NOT NULL AND ledger_removed_at IS NULL
            AND ended_at < ? AND (ended_at, id) > (?, ?) AND \(isOver)
            AND (kind <> 'inApp' OR ends_at < ? OR recalled_at < ?)
        ORDER BY app_id, ended_at, id LIMIT ?
        """
    }

    /// A campaign whose planning is in quarantine may still be planned (SEC-8).
    private static let isOver: SQLText = "status IN ('completed', 'cancelled') AND planned = 1 AND closed_to IS NULL"

    /// The longest frequency cap period, in seconds, of an app's campaigns that may still be sent (CAMP-5).
    package func longestCap(app: Int64) throws -> TimeInterval {
        let capping = try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND status IN ('draft', 'scheduled', 'sending', 'paused')
                AND content LIKE '%"frequencyCap"%'
            """,
            [.integer(app)]
        ) { $0.integer(0) }
        // A campaign that cannot be read is not sent any more.
        return try connection.campaigns.each(capping) { row in
            row.campaign.draft.schedule?.frequencyCap?.within.seconds
        }.max() ?? 0
    }

    /// Requests a last summing of a campaign.
    package func askForSums(of campaign: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET sum_due_at = 0 WHERE id = ? AND ledger_removed_at IS NULL",
            [.integer(campaign.number)]
        )
    }

    /// Marks a campaign's ledger as removed; it is no longer summed.
    package func begin(_ campaign: CampaignID, now: Date) throws {
        try connection.execute(
            """
            UPDATE campaigns SET ledger_removed_at = ?, sum_due_at = ?
            WHERE id = ? AND ledger_removed_at IS NULL AND \(Self.isOver)
            """,
            [.date(now), .date(StatisticsRepository.never), .integer(campaign.number)]
        )
    }

    /// Whether a campaign's ledger counts as removed.
    package func hasBegun(_ campaign: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM campaigns WHERE id = ? AND ledger_removed_at IS NOT NULL", [.integer(campaign)]
        ) { $0.flag(0) } ?? false
    }

    /// The next campaign whose ledger may still have rows.
    package func next(after campaign: Int64) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE ledger_removed_at IS NOT NULL AND ledger_gone = 0 AND id > ?
            ORDER BY id LIMIT 1
            """,
            [.integer(campaign)]
        ) { $0.integer(0) }
    }

    /// Deletes the ledger rows of some devices; returns how many.
    package func delete(of campaign: Int64, devices: ClosedRange<Int64>) throws -> Int {
        try connection.execute(
            "DELETE FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?",
            [.integer(campaign), .integer(devices.lowerBound), .integer(devices.upperBound)]
        )
    }

    /// Records that no rows are left.
    package func end(_ campaign: Int64) throws {
        try connection.execute("UPDATE campaigns SET ledger_gone = 1 WHERE id = ?", [.integer(campaign)])
    }
}

extension SQLConnection {
    package var ledgerRetention: LedgerRetentionRepository { LedgerRetentionRepository(connection: self) }
}
