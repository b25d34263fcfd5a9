import Foundation

/// A lease as stored in the database, for any kind of work.
package struct StoredLease: Hashable, Sendable {
    package let work: LeasedWork
    /// The leased work: the campaign of a batch, the device of a silent push, the rehearsal. Zero for a group of
    /// registrations, which is identified by its owner.
    package let number: Int64
    /// The batch within its campaign; zero for other work.
    package let part: Int64
    package let owner: String
    package let until: Date

    package init(_ work: LeasedWork, number: Int64 = 0, part: Int64 = 0, owner: String, until: Date) {
        self.work = work
        self.number = number
        self.part = part
        self.owner = owner
        self.until = until
    }
}

/// The kinds of work that one worker at a time leases, with rows in a table of their own.
package enum LeasedWork: CaseIterable, Hashable, Sendable {
    case batch, silentPush, rehearsal, registrationGroup

    /// The leases that end after a moment, ordered by end, with the columns of ``StoredLease/Place``. Its arguments are
    /// the moment and the limit.
    var laterLeases: SQLText {
        switch self {
        case .batch:
            """
            SELECT campaign_id, number, lease_owner, lease_until FROM batches
            WHERE lease_owner IS NOT NULL AND lease_until > ? ORDER BY lease_until LIMIT ?
            """
        case .silentPush:
            """
            SELECT device_id, 0, lease_owner, due_at FROM silent_pushes
            WHERE lease_owner IS NOT NULL AND due_at > ? ORDER BY due_at LIMIT ?
            """
        case .rehearsal:
            """
            SELECT id, 0, lease_owner, lease_until FROM rehearsals
            WHERE ended_at IS NULL AND lease_owner IS NOT NULL AND lease_until > ? ORDER BY lease_until LIMIT ?
            """
        case .registrationGroup:
            "SELECT 0, 0, owner, lease_until FROM registration_groups WHERE lease_until > ? ORDER BY lease_until LIMIT ?"
        }
    }

    /// Ends a lease, unless it was renewed. The owner stays recorded, so that it is known what was under way. Its
    /// arguments are those of ``StoredLease/arguments``.
    var ending: SQLText {
        switch self {
        case .batch:
            """
            UPDATE batches SET lease_until = 0
            WHERE campaign_id = ? AND number = ? AND lease_owner = ? AND lease_until = ?
            """
        case .silentPush:
            "UPDATE silent_pushes SET due_at = 0 WHERE device_id = ? AND lease_owner = ? AND due_at = ?"
        case .rehearsal:
            """
            UPDATE rehearsals SET lease_until = 0
            WHERE id = ? AND ended_at IS NULL AND lease_owner = ? AND lease_until = ?
            """
        case .registrationGroup:
            "UPDATE registration_groups SET lease_until = 0 WHERE owner = ? AND lease_until = ?"
        }
    }
}

extension StoredLease {
    /// The columns of ``LeasedWork/laterLeases``.
    enum Place: Int, ResultPlace {
        case number, part, owner, until
    }

    /// The arguments of ``LeasedWork/ending``.
    var arguments: [SQLValue] {
        let key: [SQLValue] =
            switch work {
            case .batch: [.integer(number), .integer(part)]
            case .silentPush, .rehearsal: [.integer(number)]
            case .registrationGroup: []
            }
        return key + [.text(owner), .date(until)]
    }
}
