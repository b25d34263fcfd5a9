import BelfryStore

extension SQLConnection {
    /// The tables of the database.
    package func tableNames(_ engine: Engine) throws -> [String] {
        try query(engine.ownTables, []) { $0.text(0) }
    }

    /// Lets the engine look at what the tables hold, for its plans. Without their names PostgreSQL would look at the
    /// tables of all tests that run at the same time, and lock them.
    package func analyze(_ engine: Engine) throws {
        switch engine {
        case .sqlite:
            try execute("ANALYZE")
        case .postgres:
            let tables = try tableNames(engine).map { "\"\($0)\"" }
            try execute(SQLText(ofTest: "ANALYZE \(tables.joined(separator: ", "))"))
        }
    }

    /// Makes of the schema what the next version may make of it (FLEET-1): every table has one more column, and there is
    /// one more table.
    package func growToNextVersion(_ engine: Engine) throws {
        for table in try tableNames(engine) {
            try execute(SQLText(ofTest: "ALTER TABLE \(table) ADD COLUMN of_next_version BIGINT NOT NULL DEFAULT 7"))
        }
        try execute("CREATE TABLE of_next_version (id BIGINT PRIMARY KEY, name TEXT NOT NULL)")
        try addSchemaVersion(ahead: 1)
    }

    /// As if a program of a later version had been there.
    package func addSchemaVersion(ahead: Int) throws {
        try execute(
            "INSERT INTO schema_version (version) VALUES (?)", [.integer(Int64(Migration.newest + ahead))]
        )
    }
}

extension OpenTestStore {
    /// The version of the schema that this program knows.
    package static var knownSchema: Int { Migration.newest }

    package func growToNextVersion(_ engine: Engine) async throws {
        try await database.write { try $0.growToNextVersion(engine) }
    }

    package func addSchemaVersion(ahead: Int) async throws {
        try await database.write { try $0.addSchemaVersion(ahead: ahead) }
    }
}

extension Engine {
    /// Names the tables of a database; those that are partitions of another are no tables of their own.
    fileprivate var ownTables: SQLText {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        case .postgres:
            """
            SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname
            """
        }
    }
}
