import Foundation

/// The attempts at work that may crash the process; each is counted before it begins (SEC-8). The rules decide what the
/// counts mean.
package struct WorkAttemptRepository {
    /// The condition for one subject; its arguments are kind, number and part.
    private static let isSubject: SQLText = "kind = ? AND subject = ? AND part = ?"

    let connection: any SQLConnection

    package func find(_ subject: WorkSubject) throws -> WorkAttempt? {
        try connection.query(
            "SELECT \(WorkAttempt.columns) FROM work_attempts WHERE \(Self.isSubject)", Self.key(subject),
            WorkAttempt.init
        ).first ?? nil
    }

    /// The app to which a subject belongs; nil if it belongs to none, or no longer exists.
    package func app(of subject: WorkSubject) throws -> Int64? {
        let sql: SQLText
        switch subject.kind {
        case .registration:
            sql = "SELECT d.app_id FROM registrations r JOIN devices d ON d.id = r.device_id WHERE r.id = ?"
        case .batch, .plan, .recall: sql = "SELECT app_id FROM campaigns WHERE id = ?"
        case .silentPush: sql = "SELECT app_id FROM devices WHERE id = ?"
        case .eventMove:
            // An operator's merge also moves events of dormant devices.
            return try DeviceTable.first { table in
                try connection.first("SELECT app_id FROM \(table.name) WHERE id = ?", [.integer(subject.number)]) {
                    $0.integer(0)
                }
            }
        case .contactFollowing: sql = "SELECT app_id FROM contact_followings WHERE contact_id = ?"
        case .attributeReview: return subject.number
        case .upkeep: return nil
        }
        return try connection.first(sql, [.integer(subject.number)]) { $0.integer(0) }
    }

    /// The attempts of one kind whose work runs alone or waits to, those with the fewest attempts first.
    package func open(_ kind: WorkKind) throws -> [WorkAttempt] {
        try connection.query(
            """
            SELECT \(WorkAttempt.columns) FROM work_attempts WHERE kind = ? AND status = 'open'
            ORDER BY attempts, subject, part
            """,
            [.text(kind.rawValue)], WorkAttempt.init
        ).compactMap(\.self)
    }

    /// Stores the state of a subject, replacing any other.
    package func save(_ attempt: WorkAttempt) throws {
        try connection.execute(
            """
            INSERT INTO work_attempts (kind, subject, part, app_id, status, attempts, owner, lease_until, reason, since,
                reached)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, subject, part) DO UPDATE SET app_id = excluded.app_id, status = excluded.status,
                attempts = excluded.attempts, owner = excluded.owner, lease_until = excluded.lease_until,
                reason = excluded.reason, since = excluded.since, reached = excluded.reached
            """,
            Self.key(attempt.subject) + [
                .optional(attempt.app), .text(attempt.status.rawValue), .integer(attempt.attempts),
                .optional(attempt.owner), .date(attempt.leaseUntil), .optional(attempt.reason), .date(attempt.since),
                .integer(attempt.reached),
            ]
        )
    }

    /// Ends the attempts at a subject that is done, or must not be worked on again. A subject in quarantine stays
    /// there.
    package func end(_ subject: WorkSubject) throws {
        try connection.executeLater(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'open'", Self.key(subject)
        )
    }

    /// Ends the attempts at a subject that this owner has begun.
    package func end(_ subject: WorkSubject, of owner: String) throws {
        try connection.execute(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'open' AND owner = ?",
            Self.key(subject) + [.text(owner)]
        )
    }

    /// Restarts the count, because the work has made progress and its next step begins.
    package func beginAnew(_ subject: WorkSubject) throws {
        try connection.executeLater(
            "UPDATE work_attempts SET attempts = 1 WHERE \(Self.isSubject) AND status = 'open' AND attempts > 1",
            Self.key(subject)
        )
    }

    /// Restarts the count of work that one owner continues, and renews its lease.
    ///
    /// - Parameter reached: the new position of a walk; nil if it is unchanged.
    package func beginAnew(_ subject: WorkSubject, reached: Int64?, of owner: String, until lease: Date) throws {
        let place: SQLText = reached == nil ? "" : ", reached = ?"
        let places: [SQLValue] = reached.map { [.integer($0)] } ?? []
        try connection.execute(
            """
            UPDATE work_attempts SET attempts = 1, lease_until = ?\(place)
            WHERE \(Self.isSubject) AND status = 'open' AND owner = ?
            """,
            [.date(lease)] + places + Self.key(subject) + [.text(owner)]
        )
    }

    /// Renews the lease of work that an owner continues. The count stays, since no step has ended.
    package func renew(_ subject: WorkSubject, of owner: String, until lease: Date) throws {
        try connection.execute(
            "UPDATE work_attempts SET lease_until = ? WHERE \(Self.isSubject) AND status = 'open' AND owner = ?",
            [.date(lease)] + Self.key(subject) + [.text(owner)]
        )
    }

    /// Records a step of continuing work: its count restarts, or it has ended.
    package func stepped(_ subject: WorkSubject, isDone: Bool) throws {
        if isDone {
            try end(subject)
        } else {
            try beginAnew(subject)
        }
    }

    /// Marks that the subject waits for another service's response. It does not count as begun until ``endWait(_:)``.
    ///
    /// - Parameter most: the most waits without an end; after that the subject stays counted.
    /// - Returns: whether the subject is not counted during the wait.
    package func waits(_ subject: WorkSubject, atMost most: Int) throws -> Bool {
        try connection.execute(
            """
            UPDATE work_attempts SET attempts = attempts - 1, reached = reached + 1
            WHERE \(Self.isSubject) AND status = 'open' AND attempts > 0 AND reached < ?
            """,
            Self.key(subject) + [.integer(most)]
        ) > 0
    }

    /// Ends the wait, because the response has arrived or takes too long: the subject is counted again.
    package func endWait(_ subject: WorkSubject) throws {
        try connection.execute(
            "UPDATE work_attempts SET attempts = attempts + 1 WHERE \(Self.isSubject) AND status = 'open'",
            Self.key(subject)
        )
    }

    /// Ends an attempt with an error; the next one waits for a moment.
    ///
    /// - Parameter isCounted: false if the subject is not to blame; the attempt is then not counted.
    package func fail(
        _ subject: WorkSubject, because reason: String, until next: Date, isCounted: Bool = true
    ) throws {
        let count: SQLText =
            isCounted ? "" : ", attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE attempts END"
        try connection.execute(
            """
            UPDATE work_attempts SET owner = NULL, lease_until = ?, reason = ?\(count)
            WHERE \(Self.isSubject) AND status = 'open'
            """,
            [.date(next), .text(reason)] + Self.key(subject)
        )
    }

    /// Ends an owner's attempt without a result: it is not counted, and any process may begin the next one.
    package func giveBack(_ subject: WorkSubject, of owner: String) throws {
        try connection.execute(
            """
            UPDATE work_attempts SET owner = NULL, lease_until = 0,
                attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE attempts END
            WHERE \(Self.isSubject) AND status = 'open' AND owner = ?
            """,
            Self.key(subject) + [.text(owner)]
        )
    }

    /// Deletes the attempts at a subject that no longer exists.
    package func remove(_ subject: WorkSubject) throws {
        try connection.execute("DELETE FROM work_attempts WHERE \(Self.isSubject)", Self.key(subject))
    }

    /// Takes a subject out of quarantine.
    ///
    /// - Returns: whether the subject was in quarantine.
    @discardableResult
    package func release(_ subject: WorkSubject) throws -> Bool {
        try connection.execute(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'quarantined'", Self.key(subject)
        ) > 0
    }

    /// Forgets the attempts of a worker that ends normally; its work is counted from the start by the next worker.
    package func forgive(_ owner: String) throws {
        try connection.execute(
            "UPDATE work_attempts SET attempts = 0, owner = NULL, lease_until = 0 WHERE owner = ? AND status = 'open'",
            [.text(owner)]
        )
        try connection.registrationGroups.end(owner)
    }

    /// Ends every lease, when the only process of a store starts and all holders are dead.
    package func endLeases() throws {
        try connection.execute("UPDATE work_attempts SET lease_until = 0 WHERE status = 'open'")
        try connection.registrationGroups.endLeases()
    }

    /// Work in quarantine, newest first.
    ///
    /// - Parameter app: the app; nil for work of all apps and of no app.
    package func quarantined(app: Int64?, before cursor: Int64?, limit: Int) throws -> [WorkAttempt] {
        let ofApp: SQLText = app == nil ? "" : " AND app_id = ?"
        return try connection.query(
            """
            SELECT \(WorkAttempt.columns) FROM work_attempts WHERE status = 'quarantined' AND id < ?\(ofApp)
            ORDER BY id DESC LIMIT ?
            """,
            [.integer(cursor ?? .max)] + (app.map { [.integer($0)] } ?? []) + [.integer(limit)], WorkAttempt.init
        ).compactMap(\.self)
    }

    /// How many subjects are in quarantine, for each kind that has any.
    package func counts() throws -> [WorkKind: Int] {
        try connection.query(
            "SELECT kind, count(*) FROM work_attempts WHERE status = 'quarantined' GROUP BY kind", []
        ) { (WorkKind(rawValue: $0.text(0)), Int($0.integer(1))) }
        .reduce(into: [:]) { counts, pair in
            if let kind = pair.0 { counts[kind] = pair.1 }
        }
    }

    private static func key(_ subject: WorkSubject) -> [SQLValue] {
        [.text(subject.kind.rawValue), .integer(subject.number), .integer(subject.part)]
    }
}

extension SQLConnection {
    package var workAttempts: WorkAttemptRepository { WorkAttemptRepository(connection: self) }
}
