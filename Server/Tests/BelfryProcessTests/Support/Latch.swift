import Synchronization

/// A value that is set once, and the tasks that wait for it.
final class Latch<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    /// Nil as long as it has not come.
    var current: Value? { state.withLock { $0.value } }

    /// Waits for it.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    /// The first value counts.
    func set(_ value: Value) {
        let waiting = state.withLock { state in
            guard state.value == nil else { return [] as [CheckedContinuation<Value, Never>] }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
