import Foundation
import Synchronization

/// How the server is reached, as all connections of a process know it together: while it is gone, one of them tries now
/// and then, and as soon as it has found the server, all come back. Of several servers the one that was found last is
/// asked first (FLEET-7).
final class PostgresReach: Sendable {
    /// Seconds between tries: the first, and the most.
    private static let firstDelay = 0.1
    private static let longestDelay = 1.0

    /// One try.
    struct Attempt: Hashable {
        /// Of tries that fail at the same time one counts.
        fileprivate let failures: Int
        /// The server that is asked first; the numbers go on where the servers begin anew.
        let first: Int
    }

    private struct State {
        var first = 0
        var failures = 0
        var notBefore = Date.distantPast
        /// Nil: it was there last.
        var lastFailure: PostgresError?
    }

    private let state = Mutex(State())

    /// - Throws: the last failure, while it is too early for another try.
    func begin(at now: Date, jitter: Double) throws -> Attempt {
        try state.withLock { state in
            if let failure = state.lastFailure {
                // A clock that was set back would keep us waiting.
                let wait = state.notBefore.timeIntervalSince(now)
                guard wait <= 0 || wait > Self.longestDelay else { throw failure }
                // Nobody else tries at the same time.
                state.notBefore = now.addingTimeInterval(Self.pause(after: state.failures, jitter: jitter))
            }
            return Attempt(failures: state.failures, first: state.first)
        }
    }

    func failed(_ attempt: Attempt, _ error: PostgresError, at now: Date, jitter: Double) {
        state.withLock { state in
            state.lastFailure = error
            guard attempt.failures == state.failures else { return }
            state.notBefore = now.addingTimeInterval(Self.pause(after: state.failures, jitter: jitter))
            state.failures += 1
            // A machine that is gone lets who asks it wait: it comes last next time.
            state.first += 1
        }
    }

    /// - Parameter server: the number of the one that was found.
    func succeeded(at server: Int) {
        state.withLock { $0 = State(first: server) }
    }

    /// A server that was found takes no writes any more, or answers nobody.
    func turnedAway(_ error: PostgresError, by server: Int, at now: Date, jitter: Double) {
        let attempt = state.withLock { state in
            state.first = server
            return Attempt(failures: state.failures, first: server)
        }
        failed(attempt, error, at: now, jitter: jitter)
    }

    /// Seconds until a server that is gone is asked again.
    ///
    /// - Parameter failures: how often it was asked before this time, without an answer.
    static func pause(after failures: Int, jitter: Double) -> Double {
        min(firstDelay * pow(2, Double(min(failures, 10))), longestDelay) * (0.5 + jitter / 2)
    }
}
