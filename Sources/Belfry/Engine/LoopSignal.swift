/// Wakes a loop of the engine. A wake that comes before the loop sleeps is not lost, because wakes are counted.
final class LoopSignal: Sendable {
    private struct State {
        var generation = 0
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Grows with every wake.
    var generation: Int {
        state.withLock { $0.generation }
    }

    func wake() {
        let sleeper = state.withLock { state in
            state.generation += 1
            return Self.takeSleeper(&state)
        }
        sleeper?.resume()
    }

    /// Returns as soon as the generation differs from the one that was seen, or the task is cancelled.
    func wait(past seen: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.generation != seen || Task.isCancelled { return true }
                    state.sleeper = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { Self.takeSleeper(&$0) }?.resume()
        }
    }

    private static func takeSleeper(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        defer { state.sleeper = nil }
        return state.sleeper
    }
}
