import BelfryStore
import Foundation
import Synchronization

/// How a PostgreSQL database is used.
package struct PostgresSettings: Sendable {
    package static let standardConnections = 10
    /// One that reads, one that writes and one that evaluates predicates.
    package static let minimumConnections = 3
    /// From so many on, planning campaigns has a connection for itself.
    private static let roomy = 6
    package static let maximumConnections = 1_000
    /// Beside them each process has those of its bell.
    package static let bellConnections = 1

    package let address: PostgresAddress
    /// Connections that the process has at most.
    package let connections: Int
    /// Of these, those that write: each of them commits for all who wait. More only get into each other's way.
    package let writers: Int
    /// Those that evaluate predicates, and nothing else.
    package let questions: Int
    package let limits: QuestionLimits
    /// How long writers wait for a lock: two groups that wait for each other's rows give way sooner than the server sees
    /// that they do. In milliseconds.
    package let lockTimeout: Int
    /// How long a statement, or a transaction between two, takes at most. In milliseconds.
    package let statementTimeout: Int
    package let now: @Sendable () -> Date
    /// Between 0 and 1, spreads what is tried again.
    package let jitter: @Sendable () -> Double
    /// Is told the SQLSTATE of each transaction that fails, also when it then runs again and succeeds.
    package let onError: @Sendable (_ state: String) -> Void
    /// Is told why a transaction runs again, each time: `serialization`, `deadlock`, `lock`, `key`, `connection`.
    package let onRepetition: @Sendable (_ reason: String) -> Void
    /// Is told each statement that goes out, also one that the server then refuses; nil in a server, which it costs
    /// nothing.
    package let onStatement: (@Sendable (_ sql: SQLText) -> Void)?
    /// Of all connections that are made by these settings.
    let roundTrips = RoundTrips()
    let reach: PostgresReach
    let watch: PostgresWatch

    package init(
        address: PostgresAddress, connections: Int = standardConnections, writers: Int? = nil,
        questions limits: QuestionLimits, now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double,
        lockTimeout: Int = 100, statementTimeout: Int = 60_000,
        onError: @escaping @Sendable (_ state: String) -> Void = { _ in },
        onRepetition: @escaping @Sendable (_ reason: String) -> Void = { _ in },
        onStatement: (@Sendable (_ sql: SQLText) -> Void)? = nil
    ) {
        self.address = address
        self.connections = max(connections, Self.minimumConnections)
        questions = self.connections < Self.roomy ? 1 : 2
        self.writers = min(max(writers ?? self.connections * 2 / 5, 1), self.connections - 1 - questions)
        var limits = limits
        limits.places = 1
        // The server answers, on processors of its own.
        limits.background = .threads
        self.limits = limits
        self.lockTimeout = lockTimeout
        self.statementTimeout = statementTimeout
        self.now = now
        self.jitter = jitter
        self.onError = onError
        self.onRepetition = onRepetition
        let reach = PostgresReach()
        self.reach = reach
        watch = PostgresWatch(now: now) { silent in
            let finding = PostgresLink.find(of: address.settings, beside: silent)
            switch finding {
            case .leads(let leader): reach.succeeded(at: leader.place)
            case .isThere: break
            // Before those who wait come back, so that they learn of it at once.
            case .isGone: reach.turnedAway(.silent, by: silent.place, at: now(), jitter: jitter())
            }
            return finding
        }
        self.onStatement = onStatement
    }
}

/// How often somebody waited for the server's answer.
final class RoundTrips: Sendable {
    private let made = Atomic(0)

    var count: Int { made.load(ordering: .relaxed) }

    func add() {
        made.wrappingAdd(1, ordering: .relaxed)
    }
}
