import BelfryPostgres
import BelfryServices
import BelfrySQLite
import BelfryStore
import Foundation

/// The database of one server, and what closes it.
struct OpenStore {
    let database: any SQLDatabase
    let close: @Sendable () throws -> Void
    /// The disk of the file; nil for PostgreSQL, whose disk is its server's affair.
    let disk: StorageWatch.Disk?

    /// PostgreSQL where the configuration names one, else the file.
    init(_ configuration: ServeConfiguration, file: URL, environment: ServerEnvironment) throws {
        guard let address = configuration.database else {
            let database = try SQLiteDatabase(path: file.path, questions: .live)
            self.database = database
            close = { try database.close() }
            let folder = file.deletingLastPathComponent().path
            disk = StorageWatch.Disk(
                space: { DiskSpace(ofFileSystemAt: folder, unsettled: database.logBytes) },
                settle: { try await database.settle() }
            )
            return
        }
        let database = try PostgresDatabase(
            PostgresSettings(
                address: address, connections: configuration.databaseConnections, questions: .live,
                now: environment.now, jitter: environment.jitter
            )
        )
        self.database = database
        close = { database.close() }
        disk = nil
    }
}
