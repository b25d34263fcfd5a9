import BelfryPush
import Foundation
import Synchronization

/// Collects responses from the connections' threads for one reader that takes them in bulk, so that each write to the
/// ledger contains everything that has arrived meanwhile.
final class ResultQueue: Sendable {
    struct Entry: Sendable {
        let index: Int
        let result: PushResult
        /// Seconds since the push was handed to the transport.
        let seconds: TimeInterval
    }

    private struct State {
        var answers: [Entry] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func put(_ answer: Entry) {
        let waiter = state.withLock { state in
            state.answers.append(answer)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the first response and returns all responses that have arrived, including those that arrive until the
    /// reader is awake: connections read many at a time. There is only one reader.
    func take() async -> [Entry] {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.answers.isEmpty { state.waiter = continuation }
                return state.answers.isEmpty
            }
            if !isWaiting { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }
}
