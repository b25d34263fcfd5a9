import BelfryModel
import BelfryServerModel
import Foundation

/// The stored state of one device's silent pushes.
package struct SilentPushRow: Hashable, Sendable {
    package let device: Int64
    package var state: SilentPushState

    package init(device: Int64, state: SilentPushState) {
        self.device = device
        self.state = state
    }
}

extension SilentPushRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case device, reasons, carried, campaign, dueAt, triedAt, sentAt, acceptedSince, lookedAt, number, attempts

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .reasons: "reasons"
            case .carried: "carried"
            case .campaign: "campaign_id"
            case .dueAt: "due_at"
            case .triedAt: "tried_at"
            case .sentAt: "sent_at"
            case .acceptedSince: "accepted_since"
            case .lookedAt: "looked_at"
            case .number: "number"
            case .attempts: "attempts"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            device: row.integer(.device),
            state: SilentPushState(
                waiting: SilentPushReasons(rawValue: row.integer(.reasons)),
                carried: SilentPushReasons(rawValue: row.integer(.carried)),
                campaign: row.optionalInteger(.campaign).flatMap { CampaignID($0) }, dueAt: row.optionalDate(.dueAt),
                triedAt: row.optionalDate(.triedAt), sentAt: row.optionalDate(.sentAt),
                acceptedSince: row.optionalDate(.acceptedSince), lookedAt: row.optionalDate(.lookedAt),
                number: row.integer(.number), attempts: Int(row.integer(.attempts))
            )
        )
    }
}

/// The silent pushes that wait for devices (PUSH-7). The rules decide about them; this repository stores their state.
package struct SilentPushRepository {
    let connection: any SQLConnection

    /// When the next push of each app is due, or its lease ends; apps without waiting pushes are missing.
    ///
    /// - Parameters:
    ///   - held: devices whose pushes the caller has under way, even if their leases have ended.
    ///   - includesLeased: whether to include pushes that a process holds, or held when it died.
    package func nextDue(except held: [Int64] = [], includesLeased: Bool = true) throws -> [Int64: Date] {
        let pairs = try waiting(except: held)
        let dates = pairs.reduce(into: [Int64: Date]()) { dates, pair in dates[pair.app] = pair.due }
        guard includesLeased else { return dates }
        let (isFree, left) = try free(except: held)
        // Few pushes are leased. With a condition on the app, SQLite would scan the index of all pushes.
        let leased = try connection.query(
            """
            SELECT app_id + 0, min(due_at) FROM silent_pushes p WHERE lease_owner IS NOT NULL AND due_at >= 0
                AND device_id NOT IN (\(connection.dialect.integers))\(isFree)
            GROUP BY app_id + 0
            """,
            [.integers(left)]
        ) { ($0.integer(0), $0.date(1)) }
        return leased.reduce(into: dates) { dates, pair in dates[pair.0] = min(dates[pair.0] ?? pair.1, pair.1) }
    }

    /// When the next push of each app is due that no process holds.
    private func waiting(except held: [Int64]) throws -> [(app: Int64, due: Date?)] {
        guard connection.dialect.isDistributed else {
            return try connection.query(Self.nextDueSQL(connection.dialect), [.integers(held)]) {
                (app: $0.integer(0), due: $0.optionalDate(1))
            }
        }
        // Several servers cannot look for the first push of each row of another table. So each app has a query of its
        // own, which stops at its first push, and all are sent together (FLEET-5).
        let apps = try connection.query("SELECT id FROM apps", []) { $0.integer(0) }
        let sql = Self.firstDueSQL(of: "?", connection.dialect)
        let due = try connection.queryTogether(apps.map { SQLFragment(sql, [.integer($0), .integers(held)]) }) {
            $0.date(0)
        }
        return zip(apps, due).map { app, dates in (app: app, due: dates.first) }
    }

    /// Leaves out pushes in quarantine: a condition for `silent_pushes p`, and all devices to leave out. Several servers
    /// cannot compare their pushes with the attempts, which are on one of them, so there these devices are listed
    /// (FLEET-5). They are few: each has failed or crashed a process several times.
    private func free(except held: [Int64]) throws -> (condition: SQLText, left: [Int64]) {
        guard connection.dialect.isDistributed else { return (" AND \(Self.isFree)", held) }
        let quarantined = try connection.query(
            "SELECT subject FROM work_attempts WHERE kind = 'silentPush' AND part = 0 AND status = 'quarantined'", []
        ) { $0.integer(0) }
        return ("", held + quarantined)
    }

    /// The condition that a push is not in quarantine.
    private static let isFree: SQLText = """
        NOT EXISTS (SELECT 1 FROM work_attempts w WHERE w.kind = 'silentPush' AND w.subject = p.device_id AND w.part = 0
            AND w.status = 'quarantined')
        """

    /// The pushes that were under way when their process died or failed. Those that were begun alone least often come
    /// first (SEC-8).
    ///
    /// - Parameters:
    ///   - held: devices whose pushes the caller has under way.
    ///   - apps: apps whose pushes must wait.
    package func abandoned(
        now: Date, limit: Int, except held: [Int64] = [], apps: [Int64] = []
    ) throws -> [(row: SilentPushRow, app: Int64)] {
        let (isFree, left) = try free(except: held)
        // The few attempts are read first: if the pushes are on other servers, those cannot read a local table to order
        // them (FLEET-5).
        return try connection.query(
            """
            WITH begun AS MATERIALIZED (
                SELECT subject, attempts AS times FROM work_attempts
                WHERE kind = 'silentPush' AND part = 0 AND status = 'open')
            SELECT \(SilentPushRow.columns), app_id FROM silent_pushes p
            WHERE lease_owner IS NOT NULL AND due_at <= ? AND device_id NOT IN (\(connection.dialect.integers))
                AND app_id NOT IN (\(connection.dialect.integers))\(isFree)
            ORDER BY coalesce((SELECT b.times FROM begun b WHERE b.subject = p.device_id), 0), due_at, device_id
            LIMIT ?
            """,
            [.date(now), .integers(left), .integers(apps), .integer(limit)]
        ) { (row: SilentPushRow($0), app: $0.integer(SilentPushRow.Column.columnCount)) }
    }

    /// Removes a device's waiting push; its budget is kept.
    package func forget(device: Int64) throws {
        try connection.execute(
            """
            UPDATE silent_pushes SET reasons = 0, carried = 0, campaign_id = NULL, due_at = NULL, attempts = 0,
                lease_owner = NULL
            WHERE device_id = ?
            """,
            [.integer(device)]
        )
    }

    /// An app's pushes that are due and that no process holds, or held when it died; the longest waiting first. They are
    /// locked until the transaction ends.
    ///
    /// - Parameter held: devices whose pushes the caller has under way.
    package func due(app: Int64, now: Date, limit: Int, except held: [Int64] = []) throws -> [SilentPushRow] {
        guard !connection.dialect.isDistributed else {
            return try dueByDevice(app: app, now: now, limit: limit, except: held)
        }
        return try connection.query(
            Self.dueSQL(connection.dialect), [.integer(app), .date(now), .integers(held), .integer(limit)],
            SilentPushRow.init
        )
    }

    /// The same if several servers hold the database: they lock no rows for a statement that does not say on which of
    /// them they are (FLEET-5). So a page of devices is read, and the push of each is claimed by its device, all at
    /// once. For those that another process has, later ones follow.
    private func dueByDevice(app: Int64, now: Date, limit: Int, except held: [Int64]) throws -> [SilentPushRow] {
        var (claimed, seen): ([SilentPushRow], [Int64]) = ([], held)
        while claimed.count < limit {
            let wanted = limit - claimed.count
            let page = try connection.query(
                Self.duePageSQL("device_id", connection.dialect),
                [.integer(app), .date(now), .integers(seen), .integer(wanted)]
            ) { $0.integer(0) }
            claimed += try claim(page, now: now)
            seen += page
            guard page.count == wanted else { break }
        }
        return claimed
    }

    private func claim(_ devices: [Int64], now: Date) throws -> [SilentPushRow] {
        let claim: SQLText = """
            SELECT \(SilentPushRow.columns) FROM silent_pushes
            WHERE device_id = ? AND due_at <= ? AND lease_owner IS NULL \(connection.dialect.skipLocked)
            """
        return try connection.queryTogether(
            devices.map { SQLFragment(claim, [.integer($0), .date(now)]) }, SilentPushRow.init
        ).flatMap(\.self)
    }

    /// The pushes of these devices that the owner still holds.
    package func held(_ devices: [Int64], owner: String) throws -> [SilentPushRow] {
        try connection.query(
            """
            SELECT \(SilentPushRow.columns) FROM silent_pushes
            WHERE device_id IN (\(connection.dialect.integers)) AND lease_owner = ?
            """,
            [.integers(devices), .text(owner)], SilentPushRow.init
        )
    }

    /// The silent push states of these devices.
    package func states(of devices: [Int64]) throws -> [Int64: SilentPushState] {
        let areTheirs = connection.dialect.isAmong(devices, "device_id")
        let rows = try connection.query(
            """
            SELECT \(SilentPushRow.columns) FROM silent_pushes WHERE \(areTheirs.sql)
            """,
            areTheirs.arguments, SilentPushRow.init
        )
        return Dictionary(rows.map { ($0.device, $0.state) }) { first, _ in first }
    }

    /// Makes the rows of devices that have none yet.
    package func insert(_ devices: [Int64], app: Int64) throws {
        try connection.executeEach(
            """
            INSERT INTO silent_pushes (device_id, app_id, reasons, carried, number, attempts) VALUES (?, ?, 0, 0, 0, 0)
            ON CONFLICT (device_id) DO NOTHING
            """,
            devices.map { [.integer($0), .integer(app)] }
        )
    }

    package func find(device: Int64) throws -> SilentPushState? {
        try connection.first(
            "SELECT \(SilentPushRow.columns) FROM silent_pushes WHERE device_id = ?", [.integer(device)],
            SilentPushRow.init
        )?.state
    }

    /// - Parameter owner: the process that holds the pushes from now on; nil: none.
    package func save(_ rows: [SilentPushRow], owner: String?) throws {
        try connection.executeEach(
            """
            UPDATE silent_pushes SET reasons = ?, carried = ?, campaign_id = ?, due_at = ?, tried_at = ?, sent_at = ?,
                accepted_since = ?, looked_at = ?, number = ?, attempts = ?, lease_owner = ?
            WHERE device_id = ?
            """,
            rows.map { row in
                let state = row.state
                return [
                    .integer(state.waiting.rawValue), .integer(state.carried.rawValue),
                    .optional(state.campaign?.number), .optional(state.dueAt), .optional(state.triedAt),
                    .optional(state.sentAt), .optional(state.acceptedSince), .optional(state.lookedAt),
                    .integer(state.number), .integer(state.attempts), .optional(owner), .integer(row.device),
                ]
            }
        )
    }

    /// Renews the leases that the owner still holds.
    package func renew(_ devices: [Int64], owner: String, until lease: Date) throws {
        try connection.execute(
            """
            UPDATE silent_pushes SET due_at = ?
            WHERE device_id IN (\(connection.dialect.integers)) AND lease_owner = ?
            """,
            [.date(lease), .integers(devices), .text(owner)]
        )
    }

    /// Ends every lease, when the only process of a store starts and all holders are dead. The owners stay recorded, so
    /// that it is known what was under way.
    package func endLeases() throws {
        try connection.execute("UPDATE silent_pushes SET due_at = 0 WHERE lease_owner IS NOT NULL")
    }

    /// Makes pushes that are due later than any push may wait due at a time when the budget has room, because a clock
    /// was set back.
    ///
    /// - Parameter apps: all apps. For each app, an index finds the pushes that are due so late.
    package func hasten(of apps: [Int64], after moment: Date, to due: Date) throws {
        try connection.executeEach(
            "UPDATE silent_pushes SET due_at = ? WHERE app_id = ? AND due_at > ? AND lease_owner IS NULL",
            apps.map { [.date(due), .integer($0), .date(moment)] }
        )
    }

    /// Its argument is the devices to leave out.
    package static func nextDueSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT a.id, (\(firstDueSQL(of: "a.id", dialect))) FROM apps a
        """
    }

    private static func firstDueSQL(of app: SQLText, _ dialect: any Dialect) -> SQLText {
        """
        SELECT p.due_at FROM silent_pushes p WHERE p.app_id = \(app) AND p.due_at IS NOT NULL
            AND p.lease_owner IS NULL AND p.device_id NOT IN (\(dialect.integers)) ORDER BY p.due_at LIMIT 1
        """
    }

    /// Its arguments are the app, the moment, the devices to leave out, and the limit.
    package static func dueSQL(_ dialect: any Dialect) -> SQLText {
        "\(duePageSQL(SilentPushRow.columns, dialect)) \(dialect.skipLocked)"
    }

    private static func duePageSQL(_ columns: SQLText, _ dialect: any Dialect) -> SQLText {
        """
        SELECT \(columns) FROM silent_pushes
        WHERE app_id = ? AND due_at <= ? AND lease_owner IS NULL AND device_id NOT IN (\(dialect.integers))
        ORDER BY due_at LIMIT ?
        """
    }
}

extension SQLConnection {
    package var silentPushes: SilentPushRepository { SilentPushRepository(connection: self) }
}
