import Foundation

/// Whether a lease that has ended says that its holder is dead (PUSH-5).
///
/// To a worker that was held up itself it says nothing: when the machine stood still or the database was away, the holder
/// was probably held up as well. It gets the time of another lease to renew what it holds; else everything that it is
/// sending would be sent twice.
struct TakeoverPatience: Sendable {
    /// A worker looks at its leases every ``LeaseTerm/renewal`` seconds. So much later than that, and another one that
    /// was held up as long may have lost its own.
    private static let longestGap = LeaseTerm.length - LeaseTerm.renewal - 1
    /// Late looks make it patient once in the time of so many leases.
    private static let leasesBetween = 3.0

    /// When it last looked at its leases; nil before the first time.
    private var lastLook: Date?
    private var patientUntil: Date?
    /// When a late look made it patient.
    private var lateAt: Date?

    /// It looks at its leases, as it regularly does.
    mutating func look(at now: Date) {
        if isLate(at: now) {
            heldUp(at: now)
            lateAt = now
        }
        lastLook = now
    }

    /// It has waited for the database: so long, that everybody has.
    mutating func waited(since begin: Date, until now: Date) {
        guard isLong(from: begin, to: now) else { return }
        heldUp(at: now)
        lateAt = now
    }

    /// It could not reach the database.
    mutating func heldUp(at now: Date) {
        patientUntil = now.addingTimeInterval(LeaseTerm.length)
    }

    /// Whether it may take over what others have leased.
    func allowsTakeover(at now: Date) -> Bool {
        guard !isLate(at: now) else { return false }
        guard let left = patientUntil?.timeIntervalSince(now) else { return true }
        // A clock that was set back does not make it wait longer.
        return left <= 0 || left > LeaseTerm.length
    }

    /// Whether it has not looked for longer than usual.
    private func isLate(at now: Date) -> Bool {
        guard let lastLook else { return false }
        return isLong(from: lastLook, to: now)
    }

    /// Whether that is longer than usual. A machine on which every look is late is slow and does not stand still: there
    /// it does not count again and again, or what dead workers have left would wait for ever.
    private func isLong(from begin: Date, to now: Date) -> Bool {
        guard now.timeIntervalSince(begin) > Self.longestGap else { return false }
        guard let since = lateAt.map(now.timeIntervalSince) else { return true }
        return !(0..<Self.leasesBetween * LeaseTerm.length).contains(since)
    }
}
