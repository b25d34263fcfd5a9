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
        var waiter: CheckedContinuation<[Answer], Never>?
    }

    private let state = Mutex(State())

    func put(_ answer: Answer) {
        let waiter = state.withLock { state -> CheckedContinuation<[Answer], Never>? in
            defer { state.waiter = nil }
            guard state.waiter == nil else { return state.waiter }
            state.answers.append(answer)
            return nil
        }
        waiter?.resume(returning: [answer])
    }

    /// Everything that has arrived, at least one; waits for it. There is one reader.
    func take() async -> [Answer] {
        await withCheckedContinuation { continuation in
            let answers = state.withLock { state -> [Answer] in
                guard !state.answers.isEmpty else {
                    state.waiter = continuation
                    return []
                }
                defer { state.answers = [] }
                return state.answers
            }
            if !answers.isEmpty { continuation.resume(returning: answers) }
        }
    }
}
