import BelfryStore
import Foundation
import Synchronization

/// Connections, limits and callbacks for the use of a PostgreSQL database.
package struct PostgresSettings: Sendable {
    package static let standardConnections = 10
    /// One connection that reads, one that writes and one that evaluates predicates.
    package static let minimumConnections = 3
    /// From this number of connections on, campaign planning has one of its own.
    private static let roomy = 6
    package static let maximumConnections = 1_000
    /// Connections of a process's bell, in addition to the others.
    package static let bellConnections = 1
    /// Where Citus has its catalog, in which nobody but the server's owner can make a table.
    package static let standardCatalog: SQLText = "pg_catalog.pg_dist_partition"

    package let address: PostgresAddress
    /// The most connections of the process.
    package let connections: Int
    /// How many of these write. Each commits for all waiting writes; more would only conflict with each other.
    package let writers: Int
    /// How many of these evaluate predicates, and nothing else.
    package let questions: Int
    package let limits: QuestionLimits
    /// How long writers wait for a lock, in milliseconds: if two groups wait for each other's rows, one gives up before
    /// the server detects the deadlock.
    package let lockTimeout: Int
    /// How long a statement, or a transaction between two statements, may take, in milliseconds.
    package let statementTimeout: Int
    package let now: @Sendable () -> Date
    /// Returns a number between 0 and 1, which spreads retries.
    package let jitter: @Sendable () -> Double
    /// Gets the SQLSTATE of each transaction that fails, also if it then runs again and succeeds.
    package let onError: @Sendable (_ state: String) -> Void
    /// Gets the reason each time a transaction runs again: `serialization`, `deadlock`, `lock`, `key`, `connection`.
    package let onRepetition: @Sendable (_ reason: String) -> Void
    /// Gets each statement that is sent, also one that the server then refuses; nil in a server, where it then costs
    /// nothing.
    package let onStatement: (@Sendable (_ sql: SQLText) -> Void)?
    /// Counts the round trips of all connections with these settings.
    let roundTrips = RoundTrips()
    let placement: PostgresPlacement
    let reach: PostgresReach
    let watch: PostgresWatch

    package init(
        address: PostgresAddress, connections: Int = standardConnections, writers: Int? = nil,
        questions limits: QuestionLimits, now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double,
        lockTimeout: Int = 100, statementTimeout: Int = 60_000, citusCatalog: SQLText = standardCatalog,
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
        // The server evaluates on its own processors.
        limits.background = .threads
        self.limits = limits
        self.lockTimeout = lockTimeout
        self.statementTimeout = statementTimeout
        self.now = now
        self.jitter = jitter
        self.onError = onError
        self.onRepetition = onRepetition
        placement = PostgresPlacement(catalog: citusCatalog)
        let reach = PostgresReach()
        self.reach = reach
        watch = PostgresWatch(now: now) { silent in
            let finding = PostgresLink.find(of: address.settings, beside: silent)
            switch finding {
            case .leads(let leader): reach.succeeded(at: leader.place)
            case .isThere: break
            // Called before the waiting calls return, so that they see it immediately.
            case .isGone: reach.turnedAway(.silent, by: silent.place, at: now(), jitter: jitter())
            }
            return finding
        }
        self.onStatement = onStatement
    }
}

/// Counts how often a call waited for the server's response.
final class RoundTrips: Sendable {
    private let made = Atomic(0)

    var count: Int { made.load(ordering: .relaxed) }

    func add() {
        made.wrappingAdd(1, ordering: .relaxed)
    }
}
