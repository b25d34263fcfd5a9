import Foundation

/// Where a subject stands that was begun and has not ended.
package enum WorkStatus: String, Hashable, Sendable {
    /// It is worked on alone, or waits to be.
    case open
    /// It is set aside until an operator decides.
    case quarantined
}

/// What is known of a subject's attempts.
package struct WorkAttempt: Hashable, Sendable {
    /// No lease is longer, in seconds. One that ends later was written before a clock was set back, and has ended.
    package static let longestLease: TimeInterval = 60

    /// Its place in lists.
    package let id: Int64
    package let subject: WorkSubject
    /// Nil when it belongs to no app.
    package let app: Int64?
    package let status: WorkStatus
    /// How often it was begun alone without an end.
    package let attempts: Int
    /// Who began it last; nil when that attempt has ended by an error.
    package let owner: String?
    /// Before it nobody else begins it.
    package let leaseUntil: Date
    /// Why it failed, as far as that is known.
    package let reason: String?
    /// Since when it is looked at, or set aside.
    package let since: Date
    /// What a walk has behind it, where the next attempt goes on; of a push, how often its answer was waited for.
    package let reached: Int64

    package init(
        id: Int64 = 0, subject: WorkSubject, app: Int64? = nil, status: WorkStatus = .open, attempts: Int,
        owner: String? = nil, leaseUntil: Date, reason: String? = nil, since: Date, reached: Int64 = 0
    ) {
        self.id = id
        self.subject = subject
        self.app = app
        self.status = status
        self.attempts = attempts
        self.owner = owner
        self.leaseUntil = leaseUntil
        self.reason = reason
        self.since = since
        self.reached = reached
    }

    /// Whether it is somebody else's at a moment, or rests after a failure.
    package func isClosed(to owner: String, at now: Date) -> Bool {
        self.owner != owner && leaseUntil > now && leaseUntil <= now.addingTimeInterval(Self.longestLease)
    }

    /// That work with a queue of its own is neither set aside, nor in another process's hands, nor resting after a failure
    /// (SEC-8): just what ``isClosed(to:at:)`` says, lest somebody looks again and again for what he may not begin.
    ///
    /// - Parameters:
    ///   - subject: the column of the queue that names it, with its table.
    ///   - part: the same of its part.
    static func isFree(_ subject: SQLText, part: SQLText = "0") -> SQLText {
        """
        NOT EXISTS (SELECT 1 FROM work_attempts w WHERE w.kind = ? AND w.subject = \(subject) AND w.part = \(part)
            AND (w.status = 'quarantined'
                OR w.lease_until > ? AND w.lease_until <= ? AND coalesce(w.owner, '') <> ?))
        """
    }

    /// The arguments of that.
    static func arguments(_ kind: WorkKind, by owner: String, now: Date) -> [SQLValue] {
        [.text(kind.rawValue), .date(now), .date(now.addingTimeInterval(longestLease)), .text(owner)]
    }
}

extension WorkAttempt {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, kind, subject, part, app, status, attempts, owner, leaseUntil, reason, since, reached

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .kind: "kind"
            case .subject: "subject"
            case .part: "part"
            case .app: "app_id"
            case .status: "status"
            case .attempts: "attempts"
            case .owner: "owner"
            case .leaseUntil: "lease_until"
            case .reason: "reason"
            case .since: "since"
            case .reached: "reached"
            }
        }
    }

    /// Nil for what a newer program has set aside.
    init?(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        guard let kind = WorkKind(rawValue: row.text(.kind)), let status = WorkStatus(rawValue: row.text(.status))
        else { return nil }
        self.init(
            id: row.integer(.id),
            subject: WorkSubject(kind: kind, number: row.integer(.subject), part: row.integer(.part)),
            app: row.optionalInteger(.app), status: status, attempts: Int(row.integer(.attempts)),
            owner: row.optionalText(.owner), leaseUntil: row.date(.leaseUntil), reason: row.optionalText(.reason),
            since: row.date(.since), reached: row.integer(.reached)
        )
    }
}
