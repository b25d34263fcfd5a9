import BelfryPush
import Synchronization

/// Collects answers from the connections' threads for one reader that takes them in bulk, so that each write to
/// the ledger carries whatever has arrived meanwhile.
final class OutcomeInbox: Sendable {
    struct Answer: Sendable {
        let index: Int
        let result: PushResult
    }

    private struct State {
        var answers: [Answer] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func put(_ answer: Answer) {
        let waiter = state.withLock { state in
            state.answers.append(answer)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Everything that has arrived, at least one; waits for it. There is one reader.
    ///
    /// Woken by the first answer, it takes those, too, that came until it was awake: connections read many at once.
    func take() async -> [Answer] {
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
