import Foundation
import Synchronization

/// Notices that the machine's clock was set back (REL-6). What was put down by the former time would else be due when that
/// time comes again.
package final class ClockWatch: Sendable {
    /// Seconds by which a clock may be corrected as it runs: what is due waits for so long at most.
    static let tolerance: TimeInterval = 30

    private let latest = Mutex<Date?>(nil)

    package init() {}

    /// Whether it has no moment yet to compare the clock with.
    var isNew: Bool { latest.withLock { $0 == nil } }

    /// Something was put down at a moment, perhaps by another process.
    func note(_ moment: Date) {
        latest.withLock { $0 = max($0 ?? moment, moment) }
    }

    /// Whether it was set back, and nobody has seen to what follows from it yet.
    func isSetBack(at now: Date) -> Bool {
        latest.withLock { latest in
            if let latest, latest.timeIntervalSince(now) > Self.tolerance { return true }
            latest = max(latest ?? now, now)
            return false
        }
    }

    /// What follows from it was seen to.
    func reset(to now: Date) {
        latest.withLock { $0 = now }
    }
}
