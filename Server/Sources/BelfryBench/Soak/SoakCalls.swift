import Synchronization

/// The response times of calls, kept for one sample and for the sixths of the whole time.
final class SoakCalls: Sendable {
    private struct State {
        var recent: [SoakAction: [Double]] = [:]
        var failures = 0
        var byKind: [String: Int] = [:]
        var firstFailure: String?
        var allFailures = 0
    }

    private let state = Mutex(State())

    /// - Parameter milliseconds: the time since the call was due, so that a late start counts too.
    func add(_ kind: SoakAction, milliseconds: Double) {
        state.withLock { state in
            state.recent[kind, default: []].append(milliseconds)
            state.byKind[kind.rawValue, default: 0] += 1
        }
    }

    func addFailure(_ kind: SoakAction, _ error: any Error) {
        state.withLock { state in
            state.failures += 1
            state.allFailures += 1
            if state.firstFailure == nil { state.firstFailure = "\(kind.rawValue): \(error)" }
        }
    }

    /// Removes and returns what was added since the last call of this function.
    func take() -> (milliseconds: [SoakAction: [Double]], failures: Int) {
        state.withLock { state in
            defer {
                state.recent = [:]
                state.failures = 0
            }
            return (state.recent, state.failures)
        }
    }

    /// The number of calls by kind, over the whole time.
    var counts: [String: Int] { state.withLock { $0.byKind } }
    var failures: Int { state.withLock { $0.allFailures } }
    var firstFailure: String? { state.withLock { $0.firstFailure } }
}
