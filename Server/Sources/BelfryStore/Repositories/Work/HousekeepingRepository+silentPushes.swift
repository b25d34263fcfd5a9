import Foundation

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
