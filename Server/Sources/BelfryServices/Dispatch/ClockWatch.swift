import Foundation

/// Notices that the machine's clock was set back (REL-6). What was put down by the former time would else be due when that
/// time comes again.
struct ClockWatch: Sendable {
    /// Seconds by which a clock may be corrected as it runs: what is due waits for so long at most.
    static let tolerance: TimeInterval = 30

    private var latest: Date?

    /// Whether it has no moment yet to compare the clock with.
    var isNew: Bool { latest == nil }

    /// Something was put down at a moment, perhaps by a process before this one.
    mutating func note(_ moment: Date) {
        latest = max(latest ?? moment, moment)
    }

    /// Whether it was set back, and nobody has seen to what follows from it yet.
    mutating func isSetBack(at now: Date) -> Bool {
        if let latest, latest.timeIntervalSince(now) > Self.tolerance { return true }
        note(now)
        return false
    }

    /// What follows from it was seen to.
    mutating func reset(to now: Date) {
        latest = now
    }
}
