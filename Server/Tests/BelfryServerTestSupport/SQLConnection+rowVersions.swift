import BelfryStore

/// Which rows are written, whatever the statement says. PostgreSQL gives each version of a row a place of its own; on
/// SQLite triggers note it.
extension SQLConnection {
    /// Notes from now on what is written to these tables.
    package func noteRowVersions(of tables: [String], _ engine: Engine) throws {
        guard engine == .sqlite else { return }
        try execute("CREATE TABLE IF NOT EXISTS written_rows (name TEXT NOT NULL)")
        for table in tables {
            for change in ["INSERT", "UPDATE", "DELETE"] {
                try execute(
                    SQLText(
                        ofTest: """
                            CREATE TRIGGER \(table)_\(change) AFTER \(change) ON \(table)
                            BEGIN INSERT INTO written_rows (name) VALUES ('\(table)'); END
                            """
                    )
                )
            }
        }
    }

    /// What is the same as long as no row of the table is written.
    package func rowVersions(of table: String, _ engine: Engine) throws -> [String] {
        let statement =
            switch engine {
            case .sqlite: "SELECT CAST(count(*) AS TEXT) FROM written_rows WHERE name = '\(table)'"
            case .postgres: "SELECT ctid::text || ' ' || xmin::text AS version FROM \(table) ORDER BY version"
            }
        return try query(SQLText(ofTest: statement), []) { $0.text(0) }
    }
}
