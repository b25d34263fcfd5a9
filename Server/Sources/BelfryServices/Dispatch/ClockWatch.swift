import Foundation
import Synchronization

/// Notices that the machine's clock was set back (REL-6). What was put down by the former time would else be due when that
/// time comes again.
///
/// One may have been set back before this process was started, or another process may have died while its clock was
/// ahead. So at the start, and now and then, it is looked at what moments anybody has put down.
package final class ClockWatch: Sendable {
    /// Seconds by which a clock may be corrected as it runs: what is due waits for so long at most.
    static let tolerance: TimeInterval = 30
    /// Seconds between two looks at what anybody has put down.
    static let lookInterval: TimeInterval = 1_200

    private struct State {
        var latest: Date?
        var lookedAt: Date?
        var found: Date?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether it is time to look at what anybody has put down.
    func isToLook(at now: Date) -> Bool {
        state.withLock { state in
            state.lookedAt.map { abs(now.timeIntervalSince($0)) >= Self.lookInterval } ?? true
        }
    }

    /// It was looked at.
    ///
    /// A moment may stand there for long, so it counts once. After the first look one that is near counts not at all:
    /// what waits by such a clock is due before the next look.
    ///
    /// - Parameter moment: the latest that anybody has put down; nil where there is none.
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

    /// Something was put down at a moment, perhaps by another process.
    func note(_ moment: Date) {
        state.withLock { $0.latest = max($0.latest ?? moment, moment) }
    }

    /// Whether it was set back, and nobody has seen to what follows from it yet.
    func isSetBack(at now: Date) -> Bool {
        state.withLock { state in
            if let latest = state.latest, latest.timeIntervalSince(now) > Self.tolerance { return true }
            state.latest = max(state.latest ?? now, now)
            return false
        }
    }

    /// What follows from it was seen to.
    func reset(to now: Date) {
        state.withLock { $0.latest = now }
    }
}
