import Synchronization

/// Response times of calls, kept for one sample and for the sixths of the whole time.
final class SoakCalls: Sendable {
    private struct State {
        var recent: [SoakAction: [Double]] = [:]
        var failures = 0
        var byKind: [String: Int] = [:]
        var firstFailure: String?
        var allFailures = 0
    }

    private let state = Mutex(State())

    /// - Parameter milliseconds: from when the call was due, so that a late start counts as well.
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

    /// What came since the last time.
    func take() -> (milliseconds: [SoakAction: [Double]], failures: Int) {
        state.withLock { state in
            defer {
                state.recent = [:]
                state.failures = 0
            }
            return (state.recent, state.failures)
        }
    }

    /// Calls by what they did, of all the time.
    var counts: [String: Int] { state.withLock { $0.byKind } }
    var failures: Int { state.withLock { $0.allFailures } }
    var firstFailure: String? { state.withLock { $0.firstFailure } }
}
