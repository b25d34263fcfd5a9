import Foundation
import Synchronization

/// Whether the server can be reached, shared by all connections of a process. While the server is gone, one connection
/// tries it from time to time; as soon as that succeeds, all reconnect. With several servers, the one that was found
/// last is asked first (FLEET-7).
final class PostgresReach: Sendable {
    /// Seconds between tries: the first delay, and the longest.
    private static let firstDelay = 0.1
    private static let longestDelay = 1.0

    /// One try to connect.
    struct Attempt: Hashable {
        /// The failures before this try. Of tries that fail at the same time, only one counts.
        fileprivate let failures: Int
        /// The number of the server that is asked first. The numbers keep growing when the list of servers begins
        /// again.
        let first: Int
    }

    private struct State {
        var first = 0
        var failures = 0
        var notBefore = Date.distantPast
        /// Why the last try failed; nil if it succeeded.
        var lastFailure: PostgresError?
    }

    private let state = Mutex(State())

    /// - Throws: the last failure, while it is too early for another try.
    func begin(at now: Date, jitter: Double) throws -> Attempt {
        try state.withLock { state in
            if let failure = state.lastFailure {
                // If the clock was set back, we would wait too long.
                let wait = state.notBefore.timeIntervalSince(now)
                guard wait <= 0 || wait > Self.longestDelay else { throw failure }
                // Keeps other connections from trying at the same time.
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
            // A machine that is gone lets its callers wait until a time-out, so it is asked last next time.
            state.first += 1
        }
    }

    /// - Parameter server: the number of the server that was found.
    func succeeded(at server: Int) {
        state.withLock { $0 = State(first: server) }
    }

    /// Call this when a connected server no longer takes writes, or no longer responds.
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
