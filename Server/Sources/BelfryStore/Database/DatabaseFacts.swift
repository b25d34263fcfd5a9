/// Facts about the database, for operators.
package struct DatabaseFacts: Hashable, Sendable {
    /// `SQLite` or `PostgreSQL`.
    package let engine: String
    package let engineVersion: String
    /// The size in bytes, without files beside the database, such as a log.
    package let size: Int64
    package let schema: Int
}

extension SQLConnection {
    package func facts() throws -> DatabaseFacts {
        let found = try first(dialect.facts, []) { (version: $0.text(0), size: $0.integer(1)) }
        guard let found else { throw StoreError.corrupted(table: "schema_version", key: "facts") }
        return DatabaseFacts(
            engine: dialect.engineName, engineVersion: found.version, size: found.size, schema: try newestSchema()
        )
    }
}
