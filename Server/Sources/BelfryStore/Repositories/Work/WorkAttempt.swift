import Foundation

/// The status of work that was begun and has not ended.
package enum WorkStatus: String, Hashable, Sendable {
    /// The work runs alone, or waits to.
    case open
    /// The work is in quarantine until an operator decides.
    case quarantined
}

/// The recorded attempts at a subject of work.
package struct WorkAttempt: Hashable, Sendable {
    /// The longest lease, in seconds. A lease that ends later was written before a clock was set back, and counts as
    /// ended.
    package static let longestLease: TimeInterval = 60

    /// The attempt's position in lists.
    package let id: Int64
    package let subject: WorkSubject
    /// Nil if the work belongs to no app.
    package let app: Int64?
    package let status: WorkStatus
    /// How often the work was begun alone without an end.
    package let attempts: Int
    /// The process that began it last; nil if that attempt ended with an error.
    package let owner: String?
    /// No other process may begin the work before this moment.
    package let leaseUntil: Date
    /// Why the work failed, if that is known.
    package let reason: String?
    /// Since when the work is recorded, or in quarantine.
    package let since: Date
    /// For a walk, the position after which the next attempt continues; for a push, how often its response was waited
    /// for.
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

    /// Whether another process holds the work at a moment, or the work pauses after a failure.
    package func isClosed(to owner: String, at now: Date) -> Bool {
        self.owner != owner && leaseUntil > now && leaseUntil <= now.addingTimeInterval(Self.longestLease)
    }

    /// The condition that work with a queue of its own is neither in quarantine, nor done by another process, nor
    /// pausing after a failure (SEC-8). It must agree with ``isClosed(to:at:)``; otherwise a process would look again
    /// and again for work that it may not begin.
    ///
    /// - Parameters:
    ///   - subject: the queue's column with the subject, qualified by its table.
    ///   - part: the same for the subject's part.
    static func isFree(_ subject: SQLText, part: SQLText = "0") -> SQLText {
        """
        NOT EXISTS (SELECT 1 FROM work_attempts w WHERE w.kind = ? AND w.subject = \(subject) AND w.part = \(part)
            AND (w.status = 'quarantined'
                OR w.lease_until > ? AND w.lease_until <= ? AND coalesce(w.owner, '') <> ?))
        """
    }

    /// The arguments of ``isFree(_:part:)``.
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

    /// Nil for a kind of work that only a newer program knows.
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
