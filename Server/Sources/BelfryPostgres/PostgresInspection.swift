import BelfryStore

/// Reads a database without changing anything: no schema is made or upgraded, and the schema may be of any version of
/// the program (CLI-6).
package enum PostgresInspection {
    /// The oldest supported version of the server, as `server_version_num`.
    package static let oldestVersion = PostgresOpening.oldestVersion

    /// - Throws: ``PostgresOpeningError``, with the server's message.
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
