import Foundation

/// A lease as it stands in the database, whatever is lent.
package struct StoredLease: Hashable, Sendable {
    package let work: LeasedWork
    /// What is lent: the campaign of a batch, the device of a silent push, the rehearsal. Zero for a group of
    /// registrations, which goes by its owner.
    package let number: Int64
    /// The batch within its campaign; else zero.
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

/// What is lent to one worker at a time, by rows of its own table.
package enum LeasedWork: CaseIterable, Hashable, Sendable {
    case batch, silentPush, rehearsal, registrationGroup

    /// The leases that end after a moment, those first that end first: of each what ``StoredLease/Place`` names. The moment
    /// and the limit are its arguments.
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

    /// Ends a lease, unless it was renewed. Who held it stays, so that it is known what was under way. Its arguments are
    /// those of ``StoredLease/arguments``.
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
    /// Of ``LeasedWork/laterLeases``.
    enum Place: Int, ResultPlace {
        case number, part, owner, until
    }

    /// Of ``LeasedWork/ending``.
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
