import Foundation

/// One page of a walk over a table, from its oldest row: the keys of the rows to delete, and the row after which the
/// walk continues.
package struct AgedRows<Key: Hashable & Sendable>: Hashable, Sendable {
    package let expired: [Key]
    /// Nil if no later row can be old enough.
    package let next: Int64?

    package init(expired: [Key], next: Int64?) {
        self.expired = expired
        self.next = next
    }
}

/// Finds and deletes expired rows, a limited number at a time (EVT-7).
package struct HousekeepingRepository {
    let connection: any SQLConnection

    /// Whether some devices have events to delete. Events are ordered by device, so the walk over them needs no index
    /// of its own, which would cost each new event something. One walk serves all apps.
    ///
    /// - Parameter limits: for each app with a retention period for events, the moment before which events are expired,
    ///   by the server's clock.
    package func haveExpiredEvents(_ devices: ClosedRange<Int64>, before limits: [Int64: Date]) throws -> Bool {
        guard !limits.isEmpty else { return false }
        let (sql, arguments) = (Self.isExpired(apps: limits.count), Self.arguments(devices, before: limits))
        return try connection.first("SELECT 1 FROM events WHERE \(sql) LIMIT 1", arguments) { $0.integer(0) } != nil
    }

    /// Deletes some of these events, as many as there is room for: each may have 64 KiB (SEC-2).
    ///
    /// - Returns: how many were deleted, and whether those were all.
    package func deleteEvents(
        of devices: ClosedRange<Int64>, before limits: [Int64: Date], limit: Int
    ) throws -> (count: Int, areAll: Bool) {
        guard let latest = limits.values.max() else { return (0, true) }
        var room = ByteRoom(MoveRoom.maximumBytes)
        let keys = try connection.query(
            Self.expiredEventsSQL(apps: limits.count), Self.arguments(devices, before: limits) + [.integer(limit)],
            texts: [2], in: &room
        ) { [SQLValue.integer($0.integer(0)), .text($0.text(1))] }
        let count = try connection.executeEach(Self.deleteEventSQL, keys.map { $0 + [.date(latest)] })
        return (count, !room.isCut && keys.count < limit)
    }

    /// Its arguments are the range of devices, the latest moment, each app with its moment, and the limit.
    package static func expiredEventsSQL(apps: Int) -> SQLText {
        "SELECT device_id, event_id, attributes FROM events WHERE \(isExpired(apps: apps)) LIMIT ?"
    }

    /// Its arguments are the device, the event, and the latest moment.
    package static let deleteEventSQL: SQLText =
        "DELETE FROM events WHERE device_id = ? AND event_id = ? AND received_at < ?"

    /// An app without a limit has no moment, so none of its events are expired. The condition also states that all are
    /// older than the latest moment, so that an engine skips partitions without expired events (FLEET-3).
    private static func isExpired(apps: Int) -> SQLText {
        let moments = SQLText.repeated(" WHEN ? THEN ?", apps)
        return "device_id BETWEEN ? AND ? AND received_at < ? AND received_at < CASE app_id\(moments) END"
    }

    private static func arguments(_ devices: ClosedRange<Int64>, before limits: [Int64: Date]) -> [SQLValue] {
        let latest = SQLValue.date(limits.values.max() ?? .distantPast)
        return [.integer(devices.lowerBound), .integer(devices.upperBound), latest]
            + limits.sorted { $0.key < $1.key }.flatMap { [SQLValue.integer($0.key), .date($0.value)] }
    }

    private enum RegistrationAge: Int, ResultPlace {
        case id, device, receivedAt, isExpired
    }

    /// Registrations that were processed before a moment, except the newest of each device, which has its revision. Of
    /// several with the same revision, the last received is the newest.
    package func expiredRegistrations(
        before moment: Date, after id: Int64, limit: Int
    ) throws -> AgedRows<RegistrationKey> {
        let rows = try connection.query(
            """
            SELECT r.id, r.device_id, r.received_at, CASE WHEN r.status <> 'received' AND r.processed_at < ? AND EXISTS (
                SELECT 1 FROM registrations n WHERE n.device_id = r.device_id AND n.revision >= r.revision
                    AND (n.revision > r.revision OR n.id > r.id))
                THEN 1 ELSE 0 END
            FROM registrations r WHERE r.id > ? ORDER BY r.id LIMIT ?
            """,
            [.date(moment), .integer(id), .integer(limit)]
        ) { row in
            let row = ResultRow<RegistrationAge>(row)
            let key = RegistrationKey(device: row.integer(.device), id: row.integer(.id))
            return (key: key, receivedAt: row.date(.receivedAt), isExpired: row.flag(.isExpired))
        }
        let hasMore = rows.count == limit && rows.contains { $0.receivedAt < moment }
        return AgedRows(
            expired: rows.compactMap { $0.isExpired ? $0.key : nil }, next: hasMore ? rows.last?.key.id : nil
        )
    }

    package func deleteRegistrations(_ keys: [RegistrationKey]) throws {
        // A number may be used again, and must not inherit the failed attempts of another registration.
        try connection.execute(
            "DELETE FROM work_attempts WHERE kind = 'registration' AND subject IN (\(connection.dialect.integers))",
            [.integers(keys.map(\.id))]
        )
        try connection.executeEach(
            "DELETE FROM registrations WHERE \(RegistrationKey.condition)", keys.map(\.arguments)
        )
    }

    /// Deletes the oldest responses that were stored for repeated writes; returns how many.
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

    /// Deletes the oldest lines of the audit log; returns how many. The condition on the age is stated twice, so that
    /// an engine skips partitions without expired lines.
    package func deleteAuditLines(before moment: Date, limit: Int) throws -> Int {
        try connection.execute(Self.deleteAuditLinesSQL(limit: limit), [.date(moment), .date(moment)])
    }
}

extension HousekeepingRepository {
    /// Its arguments are the moment, and the moment again. The limit is part of the text: an engine that plans the
    /// statement once knows from it that there are few rows, and looks up each of them.
    package static func deleteAuditLinesSQL(limit: Int) -> SQLText {
        """
        DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT \(limit)) AND at < ?
        """
    }
}

/// Finds and deletes the state of devices that wait for no silent push.
extension HousekeepingRepository {
    /// The devices, among the next ones, whose last silent push and last audience check were before a moment.
    package func settledSilentPushes(before moment: Date, after device: Int64, limit: Int) throws -> AgedRows<Int64> {
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

    /// Deletes these states, except those of devices that wait for a push again.
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
