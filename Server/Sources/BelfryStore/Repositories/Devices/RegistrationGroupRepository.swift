import Foundation

/// The registrations that processes are working on in groups, recorded before the work begins (SEC-8). Each process has
/// one small row for its groups: when it dies, the waiting registrations in the row's range are processed one by one.
package struct RegistrationGroupRepository {
    let connection: any SQLConnection

    package func begin(_ ids: ClosedRange<Int64>, owner: String, until lease: Date) throws {
        try connection.execute(
            """
            INSERT INTO registration_groups (owner, first_id, last_id, lease_until) VALUES (?, ?, ?, ?)
            ON CONFLICT (owner) DO UPDATE SET first_id = excluded.first_id, last_id = excluded.last_id,
                lease_until = excluded.lease_until
            """,
            [.text(owner), .integer(ids.lowerBound), .integer(ids.upperBound), .date(lease)]
        )
    }

    package func end(_ owner: String) throws {
        try connection.execute("DELETE FROM registration_groups WHERE owner = ?", [.text(owner)])
    }

    package func endLeases() throws {
        try connection.execute("UPDATE registration_groups SET lease_until = 0")
    }

    /// Whether a process has died while it worked on a group.
    package func areAbandoned(by now: Date, except owner: String) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM registration_groups WHERE lease_until <= ? AND owner <> ? LIMIT 1",
            [.date(now), .text(owner)]
        ) { $0.flag(0) } ?? false
    }

    /// Splits the groups of all dead processes: their waiting registrations are processed one by one, by any process.
    ///
    /// The groups are read first, then their registrations, then the attempts are written: if several servers hold the
    /// database, they cannot do it in one statement, since groups and attempts are on one of them (FLEET-5).
    ///
    /// - Returns: how many registrations were split off.
    package func part(by now: Date, except owner: String) throws -> Int {
        let abandoned: SQLText = "registration_groups WHERE lease_until <= ? AND owner <> ?"
        let arguments: [SQLValue] = [.date(now), .text(owner)]
        let groups = try connection.query(
            "SELECT first_id, last_id FROM \(abandoned) ORDER BY first_id", arguments
        ) { row -> SQLFragment in
            SQLFragment(
                """
                SELECT r.id, d.app_id FROM registrations r LEFT JOIN devices d ON d.id = r.device_id
                WHERE r.status = 'received' AND r.id BETWEEN ? AND ? ORDER BY r.id
                """,
                [.integer(row.integer(0)), .integer(row.integer(1))]
            )
        }
        let waiting = try connection.queryTogether(groups) { row -> [SQLValue] in
            [.integer(row.integer(0)), .optional(row.optionalInteger(1)), .date(now)]
        }
        let count = try connection.executeEach(
            """
            INSERT INTO work_attempts (kind, subject, part, app_id, status, attempts, lease_until, since)
            VALUES ('registration', ?, 0, ?, 'open', 0, 0, ?) ON CONFLICT (kind, subject, part) DO NOTHING
            """,
            waiting.flatMap(\.self)
        )
        try connection.execute("DELETE FROM \(abandoned)", arguments)
        return count
    }
}

extension SQLConnection {
    package var registrationGroups: RegistrationGroupRepository { RegistrationGroupRepository(connection: self) }
}
