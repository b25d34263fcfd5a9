import Foundation

/// What each round of the upkeep does: most remove what is looked for every hour, one a day all that is too old.
///
/// A clock that leaps ahead makes all rows older at once, and nothing brings back what goes should it be wrong. So after a
/// leap nothing is removed for a day, in which somebody may set it right. That day is counted in rounds, not by the clock.
struct UpkeepRhythm: Sendable {
    enum Round: Hashable, Sendable {
        case hourly, daily
        /// Nothing is removed: the clock has leapt, with this round or before.
        case held(sinceNow: Bool)
    }

    /// Seconds by which a pause may be longer than it was to be: the machine may have stood still for a while.
    static let longestDelay: TimeInterval = 86_400

    private var round = 0
    /// Rounds that are still to be held.
    private var held = 0
    private var pausedAt: Date?

    /// A round begins.
    mutating func begin(at now: Date) -> Round {
        let pause = pausedAt.map(now.timeIntervalSince) ?? 0
        let leaps = pause > Housekeeping.interval + Self.longestDelay
        if leaps { (round, held) = (0, Housekeeping.roundsPerDay) }
        // It was set back: what it says now counts.
        if pause < 0 { held = 0 }
        guard held == 0 else {
            held -= 1
            return .held(sinceNow: leaps)
        }
        defer { round += 1 }
        return round.isMultiple(of: Housekeeping.roundsPerDay) ? .daily : .hourly
    }

    /// The round has ended, however long it took.
    mutating func pause(at now: Date) {
        pausedAt = now
    }
}
