import Foundation

/// How a rehearsal leaves the processors to others: it pauses after each page (PERF-13). Without calls it would be over
/// twice as soon; a million devices may take a minute.
enum RehearsalPace {
    /// The share of the time in which it works, 0 to 1.
    static let share = 0.5
    /// Devices that are decided about before others may run again: a fraction of a millisecond. By itself the system
    /// lets whoever wakes up wait for up to four.
    static let devicesAtOnce = 16
    /// Seconds that it pauses at most: what took long has waited for others itself, or somebody has set the clock.
    static let longestPause: TimeInterval = 0.05

    /// - Parameter work: seconds that a page took.
    static func pause(after work: TimeInterval) -> TimeInterval {
        min(max(work, 0) * (1 / share - 1), longestPause)
    }
}
