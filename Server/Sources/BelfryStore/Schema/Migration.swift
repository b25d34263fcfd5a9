/// One step of the schema; steps are appended and never changed (STO-1).
package struct Migration: Sendable {
    package let version: Int
    package let statements: @Sendable (any Dialect) -> [SQLText]
    /// Fills in what no statement can; runs after them.
    package let fill: @Sendable (any SQLConnection) throws -> Void

    init(
        version: Int, fill: @escaping @Sendable (any SQLConnection) throws -> Void = { _ in },
        statements: @escaping @Sendable (any Dialect) -> [SQLText]
    ) {
        self.version = version
        self.statements = statements
        self.fill = fill
    }

    package static let all: [Migration] = [
        .pushStory, .topicTrouble, .peopleStory, .eventClusters, .audiences, .schedules, .messageCenters, .inApp,
        .openings, .deviceEpochs, .auditErasure, .workAttempts, .attributeReviews, .identity, .inboxes,
        .people, .v3Clients, .silentTurns, .users, .rehearsals, .approvals,
        .timeline, .daySums,
    ]

    package static var newest: Int { all.last?.version ?? 0 }
}

extension SQLConnection {
    /// Brings the schema up to date; refuses a database that a newer program wrote.
    package func migrate() throws {
        try execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        let current = try newestSchema()
        guard current <= Migration.newest else {
            throw StoreError.newerSchema(found: current, known: Migration.newest)
        }
        for migration in Migration.all where migration.version > current {
            for statement in migration.statements(dialect) {
                try execute(statement)
            }
            try migration.fill(self)
            try execute("INSERT INTO schema_version (version) VALUES (?)", [.integer(migration.version)])
        }
    }

    /// The version of the schema that the database has; 0 for none.
    package func newestSchema() throws -> Int {
        Int(try first("SELECT max(version) FROM schema_version", []) { $0.integer(0) } ?? 0)
    }

    /// Writes and changes nothing: it shows whether the database takes writes.
    package func touchSchema() throws {
        try execute("UPDATE schema_version SET version = version WHERE version = 1")
    }
}
