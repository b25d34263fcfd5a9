import Foundation

@testable import Belfry

/// A clock that moves when a test says so. Whoever sleeps wakes when it has passed the time, and after as many seconds
/// as were to be slept, even when it was set back meanwhile.
final class ManualClock: Sendable {
    private struct Sleeper {
        let until: Date
        /// By the seconds lived.
        let due: TimeInterval
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Date
        var lived: TimeInterval = 0
        var sleepers: [Int: Sleeper] = [:]
        var numbers = 0
    }

    private let state: Locked<State>

    init(_ start: Date) {
        state = Locked(State(now: start))
    }

    var now: Date {
        state.withLock { $0.now }
    }

    /// Seconds by which the clock was ever moved forward; setting it back takes none away.
    var lived: TimeInterval {
        state.withLock { $0.lived }
    }

    /// Seconds until somebody wakes; nil when nobody sleeps.
    var nextWake: TimeInterval? {
        state.withLock { state in
            state.sleepers.values.map { min($0.until.timeIntervalSince(state.now), $0.due - state.lived) }.min()
        }
    }

    /// Moves the clock; a negative time sets it back.
    func advance(by seconds: TimeInterval) {
        let due = state.withLock { state in
            state.now += seconds
            state.lived += max(seconds, 0)
            let due = state.sleepers.filter { $0.value.until <= state.now || $0.value.due <= state.lived }
            for number in due.keys {
                state.sleepers[number] = nil
            }
            return Array(due.values)
        }
        for sleeper in due {
            sleeper.continuation.resume()
        }
    }

    /// Returns when the clock has passed the time, or the task is cancelled.
    func rest(until: Date) async {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if until <= state.now || Task.isCancelled { return true }
                    let due = state.lived + until.timeIntervalSince(state.now)
                    state.sleepers[number] = Sleeper(until: until, due: due, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume()
        }
    }
}
