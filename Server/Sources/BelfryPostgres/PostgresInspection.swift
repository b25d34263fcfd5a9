import BelfryStore

/// A look at a database that changes nothing: no schema is made or brought up to date, and it may be of any version of
/// the program (CLI-6).
package enum PostgresInspection {
    /// As `server_version_num`.
    package static let oldestVersion = PostgresOpening.oldestVersion

    /// - Throws: ``PostgresOpeningError``, with what the server has said.
    package static func read<Output>(
        _ settings: PostgresSettings, _ body: (any SQLConnection) throws -> Output
    ) throws -> Output {
        let line = PostgresLine("inspection", settings)
        defer { line.close() }
        do {
            return try line.queue.sync {
                _ = try line.ready()
                return try line.reading { try body(PostgresConnection(link: $0)) }
            }
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: settings.address)
        }
    }
}
