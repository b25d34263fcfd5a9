import Foundation
import Synchronization

/// The time of day as a test sets it. It stands still until the test moves it; who sleeps wakes when it was moved far
/// enough.
package final class ManualClock: Sendable {
    private struct Sleeper {
        let until: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Tasks that were cancelled before they slept.
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Takes the watchers out for whom enough are asleep.
        mutating func content() -> [CheckedContinuation<Void, Never>] {
            let content = watchers.filter { $0.count <= sleepers.count }.map(\.continuation)
            watchers.removeAll { $0.count <= sleepers.count }
            return content
        }
    }

    private let state: Mutex<State>

    package init(_ now: Date = Date(timeIntervalSince1970: 1_795_262_400)) {
        state = Mutex(State(now: now))
    }

    package var now: Date { state.withLock { $0.now } }

    /// - Parameter seconds: may be negative, as when somebody sets a clock back.
    package func advance(by seconds: TimeInterval) {
        move { $0.addingTimeInterval(seconds) }
    }

    /// A date that is past changes nothing.
    package func advance(to date: Date) {
        move { max($0, date) }
    }

    private func move(_ change: (Date) -> Date) {
        let woken = state.withLock { state in
            state.now = change(state.now)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    package func sleep(until date: Date) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { lieDown(Sleeper(until: date, continuation: $0), id) }
        } onCancel: {
            wakeCancelled(id)
        }
    }

    /// Returns as soon as so many are asleep.
    package func asleep(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let content = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.content()
            }
            for watcher in content { watcher.resume() }
        }
    }

    private func lieDown(_ sleeper: Sleeper, _ id: Int) {
        let (outcome, content) = state.withLock { state in
            if state.cancelled.remove(id) != nil {
                return (Result<Void, any Error>.failure(CancellationError()) as Result?, state.content())
            }
            guard sleeper.until > state.now else { return (.success(()), []) }
            state.sleepers[id] = sleeper
            return (nil, state.content())
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
        for watcher in content { watcher.resume() }
    }

    private func wakeCancelled(_ id: Int) {
        let sleeper = state.withLock { state in
            if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper as Sleeper? }
            state.cancelled.insert(id)
            return nil
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
