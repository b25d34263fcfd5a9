import BelfryStore

/// Whether this process can do its work.
package struct Health: Sendable {
    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// Throws when the database does not answer.
    package func check() async throws {
        _ = try await database.read { try $0.first("SELECT 1", []) { $0.integer(0) } }
    }
}
