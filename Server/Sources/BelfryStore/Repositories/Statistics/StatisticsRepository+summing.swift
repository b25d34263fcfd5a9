import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign whose ledger must be summed.
package struct CampaignToSum: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let launchedAt: Date
    /// Nil while the campaign runs.
    package let endedAt: Date?

    package init(id: Int64, app: Int64, launchedAt: Date, endedAt: Date?) {
        self.id = id
        self.app = app
        self.launchedAt = launchedAt
        self.endedAt = endedAt
    }
}

extension CampaignToSum {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, launchedAt, endedAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .launchedAt: "launched_at"
            case .endedAt: "ended_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), app: row.integer(.app), launchedAt: row.date(.launchedAt),
            endedAt: row.optionalDate(.endedAt)
        )
    }
}

/// Makes the sums from the ledger: always of the whole ledger of a campaign, so that an error is corrected by the next
/// summing.
extension StatisticsRepository {
    /// The due time of a campaign that no longer changes.
    package static let never = Date(milliseconds: 9_000_000_000_000_000)

    /// A due time like ``never`` that contains the moment at which this was decided: if the clock was ahead, the
    /// decision was too early (REL-6). So these values are ordered by that moment, after all real due times.
    package static func neverAgain(asOf now: Date) -> Date {
        Date(milliseconds: never.milliseconds + max(now.milliseconds, 0))
    }

    /// The campaigns that are due, the longest waiting first.
    package func campaignsToSum(now: Date, limit: Int) throws -> [CampaignToSum] {
        try connection.query(
            """
            SELECT \(CampaignToSum.columns) FROM campaigns
            WHERE launched_at IS NOT NULL AND sum_due_at <= ? AND ledger_removed_at IS NULL
            ORDER BY sum_due_at, id LIMIT ?
            """,
            [.date(now), .integer(limit)], CampaignToSum.init
        )
    }

    /// The latest moment recorded for a campaign that must be summed again, or for a count of the devices of these
    /// apps; nil if there is none. Of campaigns that no longer change, only those count for which this was decided
    /// later than now.
    package func latestMoment(apps: [Int64], now: Date) throws -> Date? {
        let summed: Date? =
            try connection.first(
                "SELECT max(summed_at) FROM campaigns WHERE \(Self.isWaiting)", [.date(now), .date(Self.never)]
            ) { $0.optionalDate(0) } ?? nil
        let ended: Date? =
            try connection.first(
                "SELECT max(sum_due_at) FROM campaigns WHERE \(Self.hasEndedAhead)", [.date(Self.neverAgain(asOf: now))]
            ) { $0.optionalDate(0) } ?? nil
        let found = ended.map { Date(milliseconds: $0.milliseconds - Self.never.milliseconds) }
        let counted = try apps.compactMap { try lastConsent(app: $0, through: .max)?.countedAt }
        return (counted + [summed, found].compactMap(\.self)).max()
    }

    /// Makes sums and counts from a later time due immediately, because a clock was set back. This includes final sums.
    ///
    /// - Parameter days: the present day of each app. Counts for later days are replaced when those days come.
    package func hasten(days: [(app: Int64, day: Int64)], now: Date) throws {
        try connection.execute(
            "UPDATE campaigns SET sum_due_at = 0 WHERE \(Self.isWaiting) AND summed_at > ?",
            [.date(now), .date(Self.never), .date(now)]
        )
        try connection.execute(
            "UPDATE campaigns SET sum_due_at = 0 WHERE \(Self.hasEndedAhead)", [.date(Self.neverAgain(asOf: now))]
        )
        try connection.executeEach(
            "UPDATE consent_days SET counted_at = 0 WHERE app_id = ? AND day = ? AND counted_at > ?",
            days.map { [.integer($0.app), .integer($0.day), .date(now)] }
        )
    }

    /// Its arguments are the present moment and ``never``. It matches the index of campaigns by due time.
    private static let isWaiting: SQLText = """
        launched_at IS NOT NULL AND sum_due_at > ? AND sum_due_at < ? AND ledger_removed_at IS NULL
        """

    /// The condition that a campaign was found final later than a moment, which is the argument in the form of
    /// ``neverAgain(asOf:)``.
    private static let hasEndedAhead: SQLText = """
        launched_at IS NOT NULL AND sum_due_at > ? AND ledger_removed_at IS NULL
        """

    /// The last of so many devices of a campaign's ledger after a given one; nil if there is none.
    package func lastDevice(of campaign: Int64, after device: Int64, limit: Int) throws -> Int64? {
        try connection.first(
            """
            SELECT max(device_id) FROM (
                SELECT device_id FROM deliveries WHERE campaign_id = ? AND device_id > ? ORDER BY device_id LIMIT ?) l
            """,
            [.integer(campaign), .integer(device), .integer(limit)]
        ) { $0.optionalInteger(0) } ?? nil
    }

    /// Sums of a part of a campaign's ledger by quarter of an hour. Times before the launch count as the launch, and
    /// times after the present count as now: former versions stored the times that devices reported. So a campaign has
    /// no more quarters than have passed since its launch (SEC-12).
    package func sums(
        of campaign: Int64, launched: Date, now: Date, devices: ClosedRange<Int64>
    ) throws -> [Int64: LedgerSums] {
        let first = launched.milliseconds / QuarterSums.length
        let last = max(first, now.milliseconds / QuarterSums.length)
        var found: [Int64: LedgerSums] = [:]
        let part: [SQLValue] = [
            .integer(campaign), .integer(devices.lowerBound), .integer(devices.upperBound),
        ]
        let isPart: SQLText = "campaign_id = ? AND device_id BETWEEN ? AND ?"
        let states = try connection.query(
            """
            SELECT updated_at / \(QuarterSums.length) AS quarter, state, count(*) FROM deliveries
            WHERE \(isPart) AND state IN ('accepted', 'suppressed', 'rejected')
            GROUP BY updated_at / \(QuarterSums.length), state
            """,
            part
        ) { (quarter: $0.integer(0), state: DeliveryState(rawValue: $0.text(1)), count: Int($0.integer(2))) }
        for (quarter, state, count) in states {
            switch state {
            case .accepted: found[quarter, default: LedgerSums()].accepted += count
            case .suppressed: found[quarter, default: LedgerSums()].suppressed += count
            case .rejected: found[quarter, default: LedgerSums()].rejected += count
            case .pending, .cancelled, nil: break
            }
        }
        let engagements: [(SQLText, WritableKeyPath<LedgerSums, Int>)] = [
            ("displayed_at", \.displayed), ("opened_at", \.opened),
        ]
        for (column, sum) in engagements {
            let counts = try connection.query(
                """
                SELECT \(column) / \(QuarterSums.length) AS quarter, count(*) FROM deliveries
                WHERE \(isPart) AND \(column) IS NOT NULL GROUP BY \(column) / \(QuarterSums.length)
                """,
                part
            ) { (quarter: $0.integer(0), count: Int($0.integer(1))) }
            for (quarter, count) in counts {
                found[min(max(quarter, first), last), default: LedgerSums()][keyPath: sum] += count
            }
        }
        return found
    }

    /// Replaces the sums of a campaign, and updates the app's days. In a campaign that runs for months, few quarters of
    /// an hour change, so only those are written.
    ///
    /// - Parameters:
    ///   - sums: the sums of the whole ledger, each with the app's day to which it belongs.
    ///   - next: when the campaign is due again.
    package func replace(
        _ sums: [(day: Int64, sums: QuarterSums)], of campaign: CampaignToSum, now: Date, next: Date
    ) throws {
        var former = try stored(of: campaign)
        var days: [Int64: LedgerSums] = [:]
        var changed: [(day: Int64, sums: QuarterSums)] = []
        for (day, quarter) in sums {
            let before = former.removeValue(forKey: quarter.quarter)
            if before == DaySums(day: day, sums: quarter.sums) { continue }
            if let before { days[before.day] = (days[before.day] ?? LedgerSums()) - before.sums }
            days[day] = (days[day] ?? LedgerSums()) + quarter.sums
            changed.append((day: day, sums: quarter))
        }
        for gone in former.values { days[gone.day] = (days[gone.day] ?? LedgerSums()) - gone.sums }
        try connection.executeEach(
            "DELETE FROM campaign_sums WHERE campaign_id = ? AND quarter = ?",
            former.keys.sorted().map { [.integer(campaign.id), .integer($0)] }
        )
        try save(changed, of: campaign)
        try change(days: days.filter { $0.value != LedgerSums() }, app: campaign.app)
        try connection.execute(
            "UPDATE campaigns SET summed_at = ?, sum_due_at = ? WHERE id = ?",
            [.date(now), .date(next), .integer(campaign.id)]
        )
    }

    /// The stored sums of a campaign by quarter of an hour, each with the day to which it was counted.
    private func stored(of campaign: CampaignToSum) throws -> [Int64: DaySums] {
        try connection.query(
            "SELECT quarter, day, \(Self.sums) FROM campaign_sums WHERE campaign_id = ?", [.integer(campaign.id)]
        ) { (quarter: $0.integer(0), sums: DaySums(day: $0.integer(1), sums: LedgerSums($0, after: 2))) }
        .reduce(into: [Int64: DaySums]()) { $0[$1.quarter] = $1.sums }
    }

    private func save(_ sums: [(day: Int64, sums: QuarterSums)], of campaign: CampaignToSum) throws {
        try connection.executeEach(
            """
            INSERT INTO campaign_sums (campaign_id, app_id, day, quarter, \(Self.sums))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (campaign_id, quarter) DO UPDATE SET day = excluded.day, accepted = excluded.accepted,
                suppressed = excluded.suppressed, rejected = excluded.rejected, displayed = excluded.displayed,
                opened = excluded.opened
            """,
            sums.map { day, quarter in
                [.integer(campaign.id), .integer(campaign.app), .integer(day), .integer(quarter.quarter)]
                    + quarter.sums.values
            }
        )
    }

    private func change(days: [Int64: LedgerSums], app: Int64) throws {
        try connection.executeEach(
            """
            INSERT INTO day_sums (app_id, day, \(Self.sums)) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app_id, day) DO UPDATE SET accepted = day_sums.accepted + excluded.accepted,
                suppressed = day_sums.suppressed + excluded.suppressed,
                rejected = day_sums.rejected + excluded.rejected,
                displayed = day_sums.displayed + excluded.displayed, opened = day_sums.opened + excluded.opened
            """,
            days.sorted { $0.key < $1.key }.map { [.integer(app), .integer($0.key)] + $0.value.values }
        )
    }
}
