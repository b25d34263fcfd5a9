import BelfryPush
import NIOCore
import Synchronization

/// The requests of one `send`, kept until the last one has ended.
final class PushBatch: Sendable {
    let requests: [PushRequest]
    /// Nil: the pool's request time-out applies until a stream is free, and again from there to the response.
    let deadline: NIODeadline?
    let onResponse: @Sendable (_ index: Int, _ result: PushResult) -> Void

    init(
        requests: [PushRequest],
        deadline: NIODeadline?,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        self.requests = requests
        self.deadline = deadline
        self.onResponse = onResponse
    }
}

/// A request whose result is known but not delivered yet.
struct EndedRequest {
    let batch: PushBatch
    let index: Int
    let result: PushResult
}

/// Collects the results of one `send` for a caller that waits for all of them.
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
