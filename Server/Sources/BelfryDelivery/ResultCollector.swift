import BelfryPush
import Synchronization

/// Gathers the results of one `send` for somebody who waits for all of them.
final class ResultCollector: Sendable {
    private struct State {
        var results: [PushResult?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let continuation: CheckedContinuation<[PushResult], Never>

    init(count: Int, continuation: CheckedContinuation<[PushResult], Never>) {
        state = Mutex(State(results: Array(repeating: nil, count: count), missing: count))
        self.continuation = continuation
    }

    func receive(_ index: Int, _ result: PushResult) {
        let all = state.withLock { state -> [PushResult]? in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results.compactMap { $0 } : nil
        }
        if let all { continuation.resume(returning: all) }
    }
}
