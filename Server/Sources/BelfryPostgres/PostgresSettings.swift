import Foundation

/// How a PostgreSQL database is used.
package struct PostgresSettings: Sendable {
    package static let standardConnections = 10
    /// One that reads and one that writes.
    package static let minimumConnections = 2
    package static let maximumConnections = 1_000

    package let address: PostgresAddress
    /// Connections that the process has at most.
    package let connections: Int
    /// Of these, those that write: each of them commits for all who wait. More only get into each other's way.
    package let writers: Int
    package let now: @Sendable () -> Date
    /// Between 0 and 1, spreads what is tried again.
    package let jitter: @Sendable () -> Double

    package init(
        address: PostgresAddress, connections: Int = standardConnections, writers: Int? = nil,
        now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double
    ) {
        self.address = address
        self.connections = max(connections, Self.minimumConnections)
        self.writers = min(max(writers ?? self.connections * 2 / 5, 1), self.connections - 1)
        self.now = now
        self.jitter = jitter
    }
}
