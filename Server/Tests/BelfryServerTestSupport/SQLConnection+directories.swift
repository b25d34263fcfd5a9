import BelfryPostgres
import BelfryStore

extension SQLConnection {
    /// Has the directories of a distributed database lead to contacts and devices that a test has written past the
    /// repositories. Elsewhere there are none.
    package func fillDirectories() throws {
        guard dialect.isDistributed else { return }
        for statement in PostgresDistribution.entries { try execute(statement) }
    }
}
