import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign that ended longer ago than its app keeps ledgers.
package struct LapsedLedger: Hashable, Sendable {
    package let campaign: CampaignID
    package let endedAt: Date
    /// Nil when it never was.
    package let summedAt: Date?
    /// Whether anybody was still to get its message when it was summed up.
    package let hasPending: Bool
}

/// Where the search for such campaigns goes on: behind the one that ended then.
package struct LapsedPosition: Hashable, Sendable {
    /// Before the first.
    package static let start = LapsedPosition(endedAt: .min, campaign: .min)

    let endedAt: Int64
    let campaign: Int64
}

extension LapsedLedger {
    package var position: LapsedPosition {
        LapsedPosition(endedAt: endedAt.milliseconds, campaign: campaign.number)
    }
}

/// Removes the ledgers of campaigns after their app's term: a campaign's as a whole, and its sums stay (LED-3). First the
/// campaign is marked, so that nobody takes what is left of it for all; then its rows go, some at a time.
package struct LedgerRetentionRepository {
    let connection: any SQLConnection

    /// Campaigns of an app that ended before a moment, nothing of which changes any more, the one first that ended first.
    /// An in-app message that devices may still show, because it has no end and was not recalled, keeps its ledger: a later
    /// recall goes through it (IAM-10).
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

    /// The app, the moment, the position (time and number), the moment twice more and the limit are its arguments.
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

    /// One whose plan was set aside may still be planned (SEC-8).
    private static let isOver: SQLText = "status IN ('completed', 'cancelled') AND planned = 1 AND closed_to IS NULL"

    /// The longest period within which a campaign of an app that may still be sent caps its messages, in seconds (CAMP-5).
    package func longestCap(app: Int64) throws -> TimeInterval {
        let capping = try connection.query(
            """
            SELECT id FROM campaigns WHERE app_id = ? AND status IN ('draft', 'scheduled', 'sending', 'paused')
                AND content LIKE '%"frequencyCap"%'
            """,
            [.integer(app)]
        ) { $0.integer(0) }
        // One that cannot be read is sent no more.
        return try connection.campaigns.each(capping) { row in
            row.campaign.draft.schedule?.frequencyCap?.within.seconds
        }.max() ?? 0
    }

    /// Lets a campaign be summed up once more, as the last time.
    package func askForSums(of campaign: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET sum_due_at = 0 WHERE id = ? AND ledger_removed_at IS NULL",
            [.integer(campaign.number)]
        )
    }

    /// From now on the ledger counts as removed, and is summed up no more.
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

    /// The next campaign of whose ledger rows may be left.
    package func next(after campaign: Int64) throws -> Int64? {
        try connection.first(
            """
            SELECT id FROM campaigns WHERE ledger_removed_at IS NOT NULL AND ledger_gone = 0 AND id > ?
            ORDER BY id LIMIT 1
            """,
            [.integer(campaign)]
        ) { $0.integer(0) }
    }

    /// Removes the rows of some devices; returns how many.
    package func delete(of campaign: Int64, devices: ClosedRange<Int64>) throws -> Int {
        try connection.execute(
            "DELETE FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?",
            [.integer(campaign), .integer(devices.lowerBound), .integer(devices.upperBound)]
        )
    }

    /// Notes that nothing is left.
    package func end(_ campaign: Int64) throws {
        try connection.execute("UPDATE campaigns SET ledger_gone = 1 WHERE id = ?", [.integer(campaign)])
    }
}

extension SQLConnection {
    package var ledgerRetention: LedgerRetentionRepository { LedgerRetentionRepository(connection: self) }
}
