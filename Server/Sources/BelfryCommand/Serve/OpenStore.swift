import BelfryPostgres
import BelfryServices
import BelfrySQLite
import BelfryStore
import Foundation

/// The database of one server, and what closes it.
struct OpenStore {
    let database: any SQLDatabase
    /// Wakes the processes that share the database.
    let bell: any ProcessBell
    let close: @Sendable () throws -> Void
    /// The connections that are in use; none for a file.
    let pools: @Sendable () -> [ConnectionPoolUse]
    /// The questions that are under way and that wait.
    let questions: @Sendable () -> QuestionLaneUse
    /// The disk that the floor watches; nil: none.
    let disk: StorageWatch.Disk?
    /// Which one that is for PostgreSQL; nil for a file, whose disk is known.
    let databaseDisk: DatabaseDisk?

    /// PostgreSQL where the configuration names one, else the file.
    ///
    /// - Parameters:
    ///   - metrics: count the database's errors.
    ///   - damage: is told them as well.
    init(
        _ configuration: ServeConfiguration, file: URL, environment: ServerEnvironment, metrics: Metrics,
        damage: DamageMark
    ) throws {
        guard let address = configuration.database else {
            let database = try SQLiteDatabase(path: file.path, questions: .live) { word in
                metrics.countSQLiteError(word)
                damage.note(word)
            }
            self.database = database
            bell = LoneProcess()
            close = { try database.close() }
            pools = { [] }
            questions = { database.questionUse }
            let folder = file.deletingLastPathComponent().path
            disk = StorageWatch.Disk(
                space: { DiskSpace(ofFileSystemAt: folder, unsettled: database.logBytes) },
                settle: { try await database.settle() }
            )
            databaseDisk = nil
            return
        }
        // Before anything is changed in the database.
        let named = try configuration.databaseFolder.map { try DatabaseDisk(named: $0) }
        let settings = PostgresSettings(
            address: address, connections: configuration.databaseConnections, questions: .live,
            now: environment.now, jitter: environment.jitter,
            onError: { state in
                metrics.countDatabaseError(state)
                damage.note(state)
            },
            onRepetition: { metrics.countRepeatedTransaction($0) }
        )
        // Without a floor nobody needs to know.
        let isAsked = named == nil && configuration.diskFloor != .off
        let database = try PostgresDatabase(settings, asksForFolder: isAsked)
        let bell = PostgresBell(settings)
        self.database = database
        self.bell = bell
        pools = { database.pools }
        questions = { database.questionUse }
        close = {
            bell.close()
            database.close()
        }
        let databaseDisk = named ?? DatabaseDisk(of: database.folder)
        self.databaseDisk = databaseDisk
        disk = databaseDisk.disk
    }
}
