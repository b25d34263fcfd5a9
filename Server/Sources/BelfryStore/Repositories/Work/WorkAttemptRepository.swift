import Foundation

/// The attempts at work that may end the process, counted before each is begun (SEC-8). What they mean is decided
/// elsewhere.
package struct WorkAttemptRepository {
    /// Those of one subject; kind, number and part are its arguments.
    private static let isSubject: SQLText = "kind = ? AND subject = ? AND part = ?"

    let connection: any SQLConnection

    package func find(_ subject: WorkSubject) throws -> WorkAttempt? {
        try connection.query(
            "SELECT \(WorkAttempt.columns) FROM work_attempts WHERE \(Self.isSubject)", Self.key(subject),
            WorkAttempt.init
        ).first ?? nil
    }

    /// The app that a subject belongs to; nil when it belongs to none, or is gone.
    package func app(of subject: WorkSubject) throws -> Int64? {
        let sql: SQLText
        switch subject.kind {
        case .registration:
            sql = "SELECT d.app_id FROM registrations r JOIN devices d ON d.id = r.device_id WHERE r.id = ?"
        case .batch, .plan, .recall: sql = "SELECT app_id FROM campaigns WHERE id = ?"
        case .silentPush: sql = "SELECT app_id FROM devices WHERE id = ?"
        case .eventMove:
            // An operator's merge moves those of dormant devices, too.
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

    /// Of one kind those that are worked on alone or wait to be, those with the fewest attempts first.
    package func open(_ kind: WorkKind) throws -> [WorkAttempt] {
        try connection.query(
            """
            SELECT \(WorkAttempt.columns) FROM work_attempts WHERE kind = ? AND status = 'open'
            ORDER BY attempts, subject, part
            """,
            [.text(kind.rawValue)], WorkAttempt.init
        ).compactMap(\.self)
    }

    /// Writes how a subject stands, whatever was known of it.
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

    /// It has ended, or is not to be worked on again. What is in quarantine stays there.
    package func end(_ subject: WorkSubject) throws {
        try connection.executeLater(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'open'", Self.key(subject)
        )
    }

    /// The same of one that this owner has begun.
    package func end(_ subject: WorkSubject, of owner: String) throws {
        try connection.execute(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'open' AND owner = ?",
            Self.key(subject) + [.text(owner)]
        )
    }

    /// It got on, and its next step is begun: the count begins anew with that.
    package func beginAnew(_ subject: WorkSubject) throws {
        try connection.executeLater(
            "UPDATE work_attempts SET attempts = 1 WHERE \(Self.isSubject) AND status = 'open' AND attempts > 1",
            Self.key(subject)
        )
    }

    /// The same of what one owner goes on with, whose lease is renewed.
    ///
    /// - Parameter reached: what a walk has behind it; nil where none has come any further.
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

    /// Renews the lease of what an owner goes on with. How often it was begun stays: nothing of it has ended.
    package func renew(_ subject: WorkSubject, of owner: String, until lease: Date) throws {
        try connection.execute(
            "UPDATE work_attempts SET lease_until = ? WHERE \(Self.isSubject) AND status = 'open' AND owner = ?",
            [.date(lease)] + Self.key(subject) + [.text(owner)]
        )
    }

    /// A step of something that goes on was made: its count begins anew, or it has ended.
    package func stepped(_ subject: WorkSubject, isDone: Bool) throws {
        if isDone {
            try end(subject)
        } else {
            try beginAnew(subject)
        }
    }

    /// From now on the subject waits for another service's response, and is not counted until ``endWait(_:)``.
    ///
    /// - Parameter most: after so many waits without an end it stays counted.
    /// - Returns: whether it is not counted.
    package func waits(_ subject: WorkSubject, atMost most: Int) throws -> Bool {
        try connection.execute(
            """
            UPDATE work_attempts SET attempts = attempts - 1, reached = reached + 1
            WHERE \(Self.isSubject) AND status = 'open' AND attempts > 0 AND reached < ?
            """,
            Self.key(subject) + [.integer(most)]
        ) > 0
    }

    /// The response has arrived or taken too long: the subject is counted again.
    package func endWait(_ subject: WorkSubject) throws {
        try connection.execute(
            "UPDATE work_attempts SET attempts = attempts + 1 WHERE \(Self.isSubject) AND status = 'open'",
            Self.key(subject)
        )
    }

    /// The attempt has ended with an error, and the next one waits for a moment.
    ///
    /// - Parameter isCounted: false where the subject is not to blame: it has been begun once less.
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

    /// The attempt of an owner has ended and proves nothing: it has been begun once less, and whoever comes next begins it.
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

    /// The subject is gone, so nothing is known of it any more.
    package func remove(_ subject: WorkSubject) throws {
        try connection.execute("DELETE FROM work_attempts WHERE \(Self.isSubject)", Self.key(subject))
    }

    /// Takes a subject out of quarantine.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package func release(_ subject: WorkSubject) throws -> Bool {
        try connection.execute(
            "DELETE FROM work_attempts WHERE \(Self.isSubject) AND status = 'quarantined'", Self.key(subject)
        ) > 0
    }

    /// The worker ends in order: what it has begun is counted anew by whoever begins it next.
    package func forgive(_ owner: String) throws {
        try connection.execute(
            "UPDATE work_attempts SET attempts = 0, owner = NULL, lease_until = 0 WHERE owner = ? AND status = 'open'",
            [.text(owner)]
        )
        try connection.registrationGroups.end(owner)
    }

    /// Ends every lease: for a store that one process has alone, at its start, when whoever held them is dead.
    package func endLeases() throws {
        try connection.execute("UPDATE work_attempts SET lease_until = 0 WHERE status = 'open'")
        try connection.registrationGroups.endLeases()
    }

    /// What is in quarantine, the newest first.
    ///
    /// - Parameter app: nil for that of every app and of none.
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

    /// How much is in quarantine, of each kind that has any.
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
