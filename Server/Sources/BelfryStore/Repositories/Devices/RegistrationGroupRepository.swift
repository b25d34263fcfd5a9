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
    /// - Returns: how many registrations were split off.
    package func part(by now: Date, except owner: String) throws -> Int {
        let abandoned: SQLText = "registration_groups WHERE lease_until <= ? AND owner <> ?"
        let arguments: [SQLValue] = [.date(now), .text(owner)]
        let count = try connection.execute(
            """
            INSERT INTO work_attempts (kind, subject, part, app_id, status, attempts, lease_until, since)
            SELECT 'registration', r.id, 0, d.app_id, 'open', 0, 0, CAST(? AS BIGINT)
            FROM registrations r LEFT JOIN devices d ON d.id = r.device_id
            WHERE r.status = 'received' AND EXISTS (
                SELECT 1 FROM (SELECT first_id, last_id FROM \(abandoned)) g WHERE r.id BETWEEN g.first_id AND g.last_id)
            ORDER BY r.id
            ON CONFLICT (kind, subject, part) DO NOTHING
            """,
            [.date(now)] + arguments
        )
        try connection.execute("DELETE FROM \(abandoned)", arguments)
        return count
    }
}

extension SQLConnection {
    package var registrationGroups: RegistrationGroupRepository { RegistrationGroupRepository(connection: self) }
}
