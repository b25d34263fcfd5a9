import BelfryPostgres
import BelfryServices
import BelfrySQLite
import BelfryStore
import Foundation

/// The database of one server, and the code that closes it.
struct OpenStore {
    let database: any SQLDatabase
    /// Signals the processes that share the database.
    let bell: any ProcessBell
    let close: @Sendable () throws -> Void
    /// The use of the connection pools; empty for a SQLite file.
    let pools: @Sendable () -> [ConnectionPoolUse]
    /// The number of queries that run and that wait.
    let questions: @Sendable () -> QuestionLaneUse
    /// The disk that the disk floor watches; nil: none.
    let disk: StorageWatch.Disk?
    /// How that disk was found for PostgreSQL; nil for a SQLite file, whose disk is known.
    let databaseDisk: DatabaseDisk?
    /// The tables that were distributed at this start.
    let distributed: [String]

    /// Opens PostgreSQL if the configuration names one, otherwise the SQLite file. A PostgreSQL database is distributed
    /// before, if the configuration asks for it (FLEET-5).
    ///
    /// - Parameters:
    ///   - metrics: counts the database's errors.
    ///   - damage: receives the database's errors too.
    ///   - citusCatalog: where it is looked up whether a database is distributed.
    init(
        _ configuration: ServeConfiguration, file: URL, environment: ServerEnvironment, metrics: Metrics,
        damage: DamageMark, citusCatalog: SQLText = PostgresSettings.standardCatalog
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
            distributed = []
            return
        }
        // The folder is checked before anything changes in the database.
        let named = try configuration.databaseFolder.map { try DatabaseDisk(named: $0) }
        let settings = PostgresSettings(
            address: address, connections: configuration.databaseConnections, questions: .live,
            now: environment.now, jitter: environment.jitter, citusCatalog: citusCatalog,
            onError: { state in
                metrics.countDatabaseError(state)
                damage.note(state)
            },
            onRepetition: { metrics.countRepeatedTransaction($0) }
        )
        distributed =
            try configuration.isDistributed
            ? PostgresDistribution.setUp(settings, copyingRows: configuration.copiesRows) : []
        // Without a disk floor the server need not be asked.
        let isAsked = named == nil && configuration.diskFloor != .off
        let bell = PostgresBell(settings)
        let database = try PostgresDatabase(settings, asksForFolder: isAsked, bell: bell)
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
