import Foundation

/// One page of a walk over a table from its oldest row on: what may go, and after which row the walk goes on.
package struct AgedRows: Hashable, Sendable {
    package let expired: [Int64]
    /// Nil when no later row can be old enough.
    package let next: Int64?

    package init(expired: [Int64], next: Int64?) {
        self.expired = expired
        self.next = next
    }
}

/// Finds and removes what has outlived its use, a bounded number of rows at once (EVT-7).
package struct HousekeepingRepository {
    let connection: any SQLConnection

    /// Whether some devices have events to remove. Events lie device by device, so the walk over them needs no index of
    /// its own, which each event that comes would have to pay for. One walk serves all apps.
    ///
    /// - Parameter limits: for each app that keeps its events for a while only, the moment since which it keeps them,
    ///   by the server's clock.
    package func haveExpiredEvents(_ devices: ClosedRange<Int64>, before limits: [Int64: Date]) throws -> Bool {
        guard !limits.isEmpty else { return false }
        let (sql, arguments) = (Self.isExpired(apps: limits.count), Self.arguments(devices, before: limits))
        return try connection.first("SELECT 1 FROM events WHERE \(sql) LIMIT 1", arguments) { $0.integer(0) } != nil
    }

    /// Removes some of them; returns how many.
    package func deleteEvents(
        of devices: ClosedRange<Int64>, before limits: [Int64: Date], limit: Int
    ) throws -> Int {
        guard let latest = limits.values.max() else { return 0 }
        return try connection.execute(
            Self.deleteEventsSQL(apps: limits.count),
            Self.arguments(devices, before: limits) + [.integer(limit), .date(latest)]
        )
    }

    /// The range of devices, the latest moment, each app with its moment, how many at most, and the latest moment again are
    /// its arguments.
    package static func deleteEventsSQL(apps: Int) -> SQLText {
        """
        DELETE FROM events WHERE (device_id, event_id) IN (
            SELECT device_id, event_id FROM events WHERE \(isExpired(apps: apps)) LIMIT ?) AND received_at < ?
        """
    }

    /// An app without a limit has no moment, and its events are older than none. That all of them are older than the
    /// latest moment is said as well, so that an engine looks into no partition in which there are none (FLEET-3).
    private static func isExpired(apps: Int) -> SQLText {
        let moments = SQLText.repeated(" WHEN ? THEN ?", apps)
        return "device_id BETWEEN ? AND ? AND received_at < ? AND received_at < CASE app_id\(moments) END"
    }

    private static func arguments(_ devices: ClosedRange<Int64>, before limits: [Int64: Date]) -> [SQLValue] {
        let latest = SQLValue.date(limits.values.max() ?? .distantPast)
        return [.integer(devices.lowerBound), .integer(devices.upperBound), latest]
            + limits.sorted { $0.key < $1.key }.flatMap { [SQLValue.integer($0.key), .date($0.value)] }
    }

    /// Registrations that were processed before a moment, but the newest of each device, which tells its revision. Of
    /// several with one revision the last that came counts as the newest.
    package func expiredRegistrations(before moment: Date, after id: Int64, limit: Int) throws -> AgedRows {
        let rows = try connection.query(
            """
            SELECT r.id, r.received_at, CASE WHEN r.status <> 'received' AND r.processed_at < ? AND EXISTS (
                SELECT 1 FROM registrations n WHERE n.device_id = r.device_id AND n.revision >= r.revision
                    AND (n.revision > r.revision OR n.id > r.id))
                THEN 1 ELSE 0 END
            FROM registrations r WHERE r.id > ? ORDER BY r.id LIMIT ?
            """,
            [.date(moment), .integer(id), .integer(limit)]
        ) { (id: $0.integer(0), receivedAt: $0.date(1), isExpired: $0.flag(2)) }
        let hasMore = rows.count == limit && rows.contains { $0.receivedAt < moment }
        return AgedRows(expired: rows.compactMap { $0.isExpired ? $0.id : nil }, next: hasMore ? rows.last?.id : nil)
    }

    package func deleteRegistrations(_ ids: [Int64]) throws {
        // A number may come again, and another's failures are none of its own.
        try connection.execute(
            "DELETE FROM work_attempts WHERE kind = 'registration' AND subject IN (\(connection.dialect.integers))",
            [.integers(ids)]
        )
        try connection.executeEach("DELETE FROM registrations WHERE id = ?", ids.map { [.integer($0)] })
    }

    /// Removes the oldest answers that were kept for repeated writes; returns how many.
    package func deleteAnswers(before moment: Date, limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM idempotent_answers WHERE (principal, idempotency_key) IN (
                SELECT principal, idempotency_key FROM idempotent_answers WHERE created_at < ?
                ORDER BY created_at LIMIT \(limit))
            """,
            [.date(moment)]
        )
    }

    /// Removes the oldest lines of the audit log; returns how many. That all of them are as old is said twice, so that an
    /// engine looks into no partition in which there are none.
    package func deleteAuditLines(before moment: Date, limit: Int) throws -> Int {
        try connection.execute(Self.deleteAuditLinesSQL(limit: limit), [.date(moment), .date(moment)])
    }
}

extension HousekeepingRepository {
    /// The moment, and the moment again, are its arguments. How many at most stands in the text: an engine that plans a
    /// statement once knows by it that they are few, and looks each of them up.
    package static func deleteAuditLinesSQL(limit: Int) -> SQLText {
        """
        DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT \(limit)) AND at < ?
        """
    }
}

/// Finds and removes what is kept of devices that are owed no silent push.
extension HousekeepingRepository {
    /// Those among the next devices that got their last one, and were last asked about, before a moment.
    package func settledSilentPushes(before moment: Date, after device: Int64, limit: Int) throws -> AgedRows {
        let rows = try connection.query(
            """
            SELECT device_id, CASE WHEN \(Self.isSettled) THEN 1 ELSE 0 END FROM silent_pushes
            WHERE device_id > ? ORDER BY device_id LIMIT ?
            """,
            [.date(moment), .date(moment), .integer(device), .integer(limit)]
        ) { (device: $0.integer(0), isSettled: $0.flag(1)) }
        return AgedRows(
            expired: rows.compactMap { $0.isSettled ? $0.device : nil },
            next: rows.count == limit ? rows.last?.device : nil
        )
    }

    /// Removes them, unless one is owed a push meanwhile.
    package func deleteSettledSilentPushes(_ devices: [Int64], before moment: Date) throws {
        try connection.execute(
            "DELETE FROM silent_pushes WHERE device_id IN (\(connection.dialect.integers)) AND \(Self.isSettled)",
            [.integers(devices), .date(moment), .date(moment)]
        )
    }

    private static let isSettled: SQLText = "due_at IS NULL AND coalesce(sent_at, 0) < ? AND coalesce(looked_at, 0) < ?"
}

extension SQLConnection {
    package var housekeeping: HousekeepingRepository { HousekeepingRepository(connection: self) }
}
