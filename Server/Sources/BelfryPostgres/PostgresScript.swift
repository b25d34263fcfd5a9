import BelfryStore

/// Statements outside the store, as an operator gives them: on a connection of their own, each by itself.
package enum PostgresScript {
    /// - Throws: ``PostgresOpeningError``, with what the server has said.
    package static func run(_ sql: SQLText, at address: PostgresAddress) throws {
        do {
            try PostgresLink(address.settings).command(sql)
        } catch let error as PostgresError {
            throw PostgresOpeningError.failed(database: address.summary, reason: error.description)
        }
    }
}
