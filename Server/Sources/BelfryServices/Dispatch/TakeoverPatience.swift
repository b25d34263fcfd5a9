import Foundation

/// Decides whether an expired lease means that its holder is dead (PUSH-5).
///
/// If this worker was delayed itself, it does not: when the machine stood still or the database was unavailable, the
/// holder was probably delayed as well. The holder gets the time of one more lease to renew it. Otherwise every push
/// that it is sending would be sent twice.
struct TakeoverPatience: Sendable {
    /// A worker checks its leases every ``LeaseTerm/renewal`` seconds. If a check is later than this, another worker
    /// with the same delay may have lost its leases.
    private static let longestGap = LeaseTerm.length - LeaseTerm.renewal - 1
    /// Late checks make the worker patient at most once in the time of this many leases.
    private static let leasesBetween = 3.0

    /// When the worker last checked its leases; nil before the first time.
    private var lastLook: Date?
    private var patientUntil: Date?
    /// When a late check last made the worker patient.
    private var lateAt: Date?

    /// Records that the worker checks its leases, as it regularly does.
    mutating func look(at now: Date) {
        if isLate(at: now) {
            heldUp(at: now)
            lateAt = now
        }
        lastLook = now
    }

    /// Records that the worker waited for the database. If it waited for long, so did all other workers.
    mutating func waited(since begin: Date, until now: Date) {
        guard isLong(from: begin, to: now) else { return }
        heldUp(at: now)
        lateAt = now
    }

    /// Records that the worker could not reach the database.
    mutating func heldUp(at now: Date) {
        patientUntil = now.addingTimeInterval(LeaseTerm.length)
    }

    /// Whether the worker may take over the expired leases of others.
    func allowsTakeover(at now: Date) -> Bool {
        guard !isLate(at: now) else { return false }
        guard let left = patientUntil?.timeIntervalSince(now) else { return true }
        // A clock that was set back does not prolong the wait.
        return left <= 0 || left > LeaseTerm.length
    }

    /// Whether the worker's last check is longer ago than usual.
    private func isLate(at now: Date) -> Bool {
        guard let lastLook else { return false }
        return isLong(from: lastLook, to: now)
    }

    /// Whether a wait is longer than usual. A machine on which every check is late is slow and does not stand still.
    /// There such a wait does not count every time, because otherwise nobody would ever take over the work of dead
    /// workers.
    private func isLong(from begin: Date, to now: Date) -> Bool {
        guard now.timeIntervalSince(begin) > Self.longestGap else { return false }
        guard let since = lateAt.map(now.timeIntervalSince) else { return true }
        return !(0..<Self.leasesBetween * LeaseTerm.length).contains(since)
    }
}
