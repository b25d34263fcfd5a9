import Foundation
import Synchronization

/// Stops the work of a process while it is suspended, and for good once it has ended.
final class ProcessGate: Sendable {
    private enum State {
        case open
        case suspended([Int: CheckedContinuation<Bool, Never>])
        case ended
    }

    private let state = Mutex((State.open, waiters: 0))

    /// Whether the process has ended.
    var hasEnded: Bool {
        state.withLock { state -> Bool in
            guard case .ended = state.0 else { return false }
            return true
        }
    }

    /// Returns when the process runs; waits while it is suspended.
    ///
    /// - Throws: `CancellationError` when the process has ended, or the task was cancelled.
    func pass() async throws {
        let number = state.withLock { state in
            state.waiters += 1
            return state.waiters
        }
        let runs = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    switch state.0 {
                    case .open: return true
                    case .ended: return false
                    case .suspended(var waiters):
                        waiters[number] = waiter
                        state.0 = .suspended(waiters)
                        return nil
                    }
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            release(number)
        }
        guard runs else { throw CancellationError() }
    }

    private func release(_ number: Int) {
        let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard case .suspended(var waiters) = state.0 else { return nil }
            defer { state.0 = .suspended(waiters) }
            return waiters.removeValue(forKey: number)
        }
        waiter?.resume(returning: false)
    }

    func suspend() {
        state.withLock { state in
            if case .open = state.0 { state.0 = .suspended([:]) }
        }
    }

    func resume() {
        leave(to: .open, running: true)
    }

    /// Ends the process: all waiting calls throw.
    func end() {
        leave(to: .ended, running: false)
    }

    private func leave(to next: State, running: Bool) {
        let waiters: [CheckedContinuation<Bool, Never>] = state.withLock { state in
            if case .ended = state.0 { return [] }
            defer { state.0 = next }
            guard case .suspended(let waiters) = state.0 else { return [] }
            return Array(waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: running) }
    }
}
