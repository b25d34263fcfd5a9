import BelfryModel
import BelfryServerModel
import Foundation

/// Sums of the ledger that are computed in advance (CON-4).
package struct StatisticsRepository {
    static let sums = LedgerSums.Column.selectList

    let connection: any SQLConnection

    /// The days of an app that have sums, in order.
    package func days(app: Int64, from first: Int64, through last: Int64) throws -> [DaySums] {
        try connection.query(
            "SELECT day, \(Self.sums) FROM day_sums WHERE app_id = ? AND day BETWEEN ? AND ? ORDER BY day",
            [.integer(app), .integer(first), .integer(last)]
        ) { DaySums(day: $0.integer(0), sums: LedgerSums($0, after: 1)) }
    }

    /// The quarters of an hour of a campaign that have sums, in order, and the time of the summing; nil if the campaign
    /// was not summed yet.
    package func quarters(of campaign: CampaignID) throws -> (sums: [QuarterSums], at: Date)? {
        guard let at = try summedAt(campaign) else { return nil }
        let sums = try connection.query(
            "SELECT quarter, \(Self.sums) FROM campaign_sums WHERE campaign_id = ? ORDER BY quarter",
            [.integer(campaign.number)]
        ) { QuarterSums(quarter: $0.integer(0), sums: LedgerSums($0, after: 1)) }
        return (sums, at)
    }

    /// When a campaign's ledger was last summed; nil if never.
    func summedAt(_ campaign: CampaignID) throws -> Date? {
        try connection.first("SELECT summed_at FROM campaigns WHERE id = ?", [.integer(campaign.number)]) {
            $0.optionalDate(0)
        } ?? nil
    }

    /// The days on which the devices that may get pushes were counted, in order.
    package func consent(app: Int64, from first: Int64, through last: Int64) throws -> [ConsentDay] {
        try connection.query(
            """
            SELECT \(ConsentDay.columns) FROM consent_days WHERE app_id = ? AND day BETWEEN ? AND ?
            ORDER BY day
            """,
            [.integer(app), .integer(first), .integer(last)], ConsentDay.init
        )
    }

    /// The last count of the app's devices, and its time; nil if they were never counted.
    ///
    /// - Parameter day: the last day to consider: later ones come from a clock that was ahead.
    package func lastConsent(app: Int64, through day: Int64) throws -> (devices: Int, countedAt: Date)? {
        try connection.first(
            "SELECT devices, counted_at FROM consent_days WHERE app_id = ? AND day <= ? ORDER BY day DESC LIMIT 1",
            [.integer(app), .integer(day)]
        ) { (Int($0.integer(0)), $0.date(1)) }
    }

    /// Records how many devices may get pushes; the last count of a day stays.
    package func save(_ consent: ConsentDay, app: Int64) throws {
        try connection.execute(
            """
            INSERT INTO consent_days (app_id, day, devices, opted_in, counted_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (app_id, day) DO UPDATE SET devices = excluded.devices, opted_in = excluded.opted_in,
                counted_at = excluded.counted_at
            """,
            [
                .integer(app), .integer(consent.day), .integer(consent.devices), .integer(consent.optedIn),
                .integer(consent.countedAt),
            ]
        )
    }
}

extension SQLConnection {
    package var statistics: StatisticsRepository { StatisticsRepository(connection: self) }
}

extension LedgerSums {
    enum Column: Int, ResultColumn {
        case accepted, suppressed, rejected, displayed, opened

        var sql: SQLText {
            switch self {
            case .accepted: "accepted"
            case .suppressed: "suppressed"
            case .rejected: "rejected"
            case .displayed: "displayed"
            case .opened: "opened"
            }
        }
    }

    /// - Parameter start: how many columns precede those of ``StatisticsRepository/sums``.
    init(_ row: any SQLRow, after start: Int) {
        let row = ResultRow<Column>(row, after: start)
        self.init(
            accepted: Int(row.integer(.accepted)), suppressed: Int(row.integer(.suppressed)),
            rejected: Int(row.integer(.rejected)), displayed: Int(row.integer(.displayed)),
            opened: Int(row.integer(.opened))
        )
    }

    var values: [SQLValue] {
        [.integer(accepted), .integer(suppressed), .integer(rejected), .integer(displayed), .integer(opened)]
    }
}

extension ConsentDay {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case day, devices, optedIn, countedAt

        var sql: SQLText {
            switch self {
            case .day: "day"
            case .devices: "devices"
            case .optedIn: "opted_in"
            case .countedAt: "counted_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            day: row.integer(.day), devices: Int(row.integer(.devices)), optedIn: Int(row.integer(.optedIn)),
            countedAt: row.integer(.countedAt)
        )
    }
}
