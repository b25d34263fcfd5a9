import Foundation

/// A series of failures. It is logged when it begins and when it has ended, not for each failure.
struct Trouble: Sendable {
    /// The figures that are logged at the end.
    struct Summary: Hashable, Sendable {
        let failures: Int
        let seconds: Int
    }

    /// The series ends when nothing has failed for this many seconds. Failures with shorter gaps are one series.
    static let calm: TimeInterval = 5

    private var since: Date?
    private var lastFailure = Date.distantPast
    private var failures = 0
    /// Whether the last attempt failed.
    private(set) var isFailing = false
    /// Whether the last failure was for lack of space.
    private(set) var meansNoRoom = false
    /// Whether there was no space, and no trial has found any since. A later failure for another reason, such as a lost
    /// connection, does not make room.
    private(set) var needsTrial = false

    var hasBegun: Bool { since != nil }

    /// - Returns: whether this failure begins a series.
    mutating func fail(_ error: any Error, now: Date) -> Bool {
        defer { since = since ?? now }
        failures += 1
        lastFailure = now
        isFailing = true
        meansNoRoom = error.meansNoRoom
        needsTrial = needsTrial || meansNoRoom
        return since == nil
    }

    /// Something has succeeded that was not made to find out whether the trouble has ended.
    mutating func succeedByChance() {
        guard needsTrial else { return succeed() }
        // It may have been small. Whether others have room as well, only a trial shows.
        meansNoRoom = true
    }

    mutating func succeed() {
        isFailing = false
        meansNoRoom = false
        needsTrial = false
    }

    /// - Returns: the figures of the series, if it has ended.
    mutating func end(now: Date) -> Summary? {
        // A clock that was set back meanwhile must not keep the series open.
        guard let since, !isFailing, now < lastFailure || now.timeIntervalSince(lastFailure) >= Self.calm else {
            return nil
        }
        let summary = Summary(failures: failures, seconds: max(Int(lastFailure.timeIntervalSince(since)), 0))
        self = Trouble()
        return summary
    }
}
