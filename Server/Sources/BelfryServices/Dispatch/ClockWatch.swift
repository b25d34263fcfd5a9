import Foundation
import Synchronization

/// Notices that the machine's clock was set back (REL-6). Times that were stored before would otherwise be due only
/// when the clock reaches them again.
///
/// The clock may have been set back before this process started, or another process may have died while its clock was
/// ahead. So the latest stored time is checked at the start and from time to time.
package final class ClockWatch: Sendable {
    /// Seconds by which a running clock may be corrected without effect: due work waits at most that much longer.
    static let tolerance: TimeInterval = 30
    /// Seconds between two checks of the latest stored time.
    static let lookInterval: TimeInterval = 1_200

    private struct State {
        var latest: Date?
        var lookedAt: Date?
        var found: Date?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the latest stored time must be checked now.
    func isToLook(at now: Date) -> Bool {
        state.withLock { state in
            state.lookedAt.map { abs(now.timeIntervalSince($0)) >= Self.lookInterval } ?? true
        }
    }

    /// Records the result of a check of the stored times.
    ///
    /// A stored time may stay for long, so each is considered only once. After the first check a time in the near
    /// future is ignored: work that waits for it is due before the next check.
    ///
    /// - Parameter moment: the latest stored time; nil if there is none.
    func looked(at now: Date, found moment: Date? = nil) {
        state.withLock { state in
            let isFirst = state.lookedAt == nil
            state.lookedAt = now
            guard let moment, moment != state.found,
                isFirst || moment.timeIntervalSince(now) > Self.lookInterval
            else { return }
            state.found = moment
            state.latest = max(state.latest ?? moment, moment)
        }
    }

    /// Records that a time was stored, perhaps by another process.
    func note(_ moment: Date) {
        state.withLock { $0.latest = max($0.latest ?? moment, moment) }
    }

    /// Whether the clock was set back and the consequences are not yet handled.
    func isSetBack(at now: Date) -> Bool {
        state.withLock { state in
            if let latest = state.latest, latest.timeIntervalSince(now) > Self.tolerance { return true }
            state.latest = max(state.latest ?? now, now)
            return false
        }
    }

    /// Records that the consequences of a clock that was set back are handled.
    func reset(to now: Date) {
        state.withLock { $0.latest = now }
    }
}
