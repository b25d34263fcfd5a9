import Foundation

/// Decides what each round of the upkeep does: one round a day removes all old data, the others only the hourly kinds.
///
/// A clock that leaps ahead makes all rows older at once, and if it is wrong, removed data cannot be restored. So after
/// a leap nothing is removed for a day, in which an operator may correct the clock. That day is counted in rounds, not
/// by the clock.
struct UpkeepRhythm: Sendable {
    enum Round: Hashable, Sendable {
        case hourly, daily
        /// Nothing is removed, because the clock has leapt ahead. `sinceNow`: since this round.
        case held(sinceNow: Bool)
    }

    /// Seconds by which a pause may be too long before it counts as a leap: the machine may have been suspended.
    static let longestDelay: TimeInterval = 86_400

    private var round = 0
    /// The number of further rounds that remove nothing.
    private var held = 0
    private var pausedAt: Date?

    /// Begins a round, and decides what it does.
    mutating func begin(at now: Date) -> Round {
        let pause = pausedAt.map(now.timeIntervalSince) ?? 0
        let leaps = pause > Housekeeping.interval + Self.longestDelay
        if leaps { (round, held) = (0, Housekeeping.roundsPerDay) }
        // The clock was set back, so its present time is believed.
        if pause < 0 { held = 0 }
        guard held == 0 else {
            held -= 1
            return .held(sinceNow: leaps)
        }
        defer { round += 1 }
        return round.isMultiple(of: Housekeeping.roundsPerDay) ? .daily : .hourly
    }

    /// Ends the round, however long it took.
    mutating func pause(at now: Date) {
        pausedAt = now
    }
}
