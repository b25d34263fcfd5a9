import BelfryServerTestSupport
import BelfryStore

extension SQLConnection {
    /// Empties the database and makes the schema of an older version, as its program left it.
    func goBack(to version: Int, _ engine: Engine) throws {
        try dropAllTables(engine)
        try execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        for migration in Migration.all.prefix(version) {
            for statement in migration.statements(dialect) { try execute(statement) }
            try migration.fill(self)
            try execute("INSERT INTO schema_version (version) VALUES (?)", [.integer(migration.version)])
        }
    }

    func dropAllTables(_ engine: Engine) throws {
        for table in try tableNames(engine) { try execute(SQLText(ofTest: "DROP TABLE \(table)")) }
    }

    /// A device as programs of before the epochs made it, in the columns that they knew.
    func makeOlderDevice(app: Int64) throws {
        try execute(
            """
            INSERT INTO devices (app_id, client_id, link_generation, confirmed_generation, revision, token_order,
                properties_order, contact_order, created_at, updated_at)
            VALUES (?, ?, 0, 0, 0, 0, 0, 0, ?, ?)
            """,
            [.integer(app), .text(try client(1).rawValue), .date(storeEpoch), .date(storeEpoch)]
        )
    }

    func schemaVersion() throws -> Int? {
        try first("SELECT max(version) FROM schema_version", []) { Int($0.integer(0)) }
    }
}
