import BelfryModel
import BelfryPostgres
import BelfryServices
import BelfrySQLite
import BelfryStore
import Foundation

/// The facts that a database of any schema version tells about itself. Nothing in it is changed.
struct DoctorDatabase: Sendable {
    struct App: Sendable {
        let id: Int64
        let code: String
        let credentials: [PushProvider: CredentialRecord]
    }

    /// The first schema version with a quarantine table.
    private static let firstWithQuarantine = 12

    let check: DatabaseCheck
    /// The schema version; nil: nothing could be read.
    var schema: Int?
    var apps: [App] = []
    var quarantined: [WorkKind: Int] = [:]
    /// The partitions of the tables that the PostgreSQL engine partitions.
    var partitions: [TablePartitions] = []
    /// The servers that hold the PostgreSQL database together, without the one of the address; nil: one holds it.
    var nodes: [CitusNode]?
    /// Where the PostgreSQL server keeps its files; nil: there is no such server, or it cannot be reached.
    var folder: PostgresDataFolder?
    /// How far this machine's clock is ahead of the database server's, in seconds; nil when both are the same machine.
    var ahead: TimeInterval?

    static func read(
        _ configuration: ServeConfiguration, file: URL, now: @escaping @Sendable () -> Date
    ) -> DoctorDatabase {
        do {
            if let address = configuration.database {
                return try read(address, wanted: configuration.databaseConnections, now: now)
            }
            guard FileManager.default.fileExists(atPath: file.path) else {
                return DoctorDatabase(check: .absent(path: file.path))
            }
            return try SQLiteInspection.read(path: file.path) { connection in
                let mode = try connection.first("PRAGMA journal_mode", []) { $0.text(0) }
                var found = DoctorDatabase(check: .sqlite(journalMode: mode ?? ""))
                let hasSchema = try connection.first(
                    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'", []
                ) { $0.integer(0) > 0 }
                try found.readContent(connection, hasSchema: hasSchema == true)
                return found
            }
        } catch {
            return DoctorDatabase(check: .unreachable(reason: "\(error)"))
        }
    }

    private static func read(
        _ address: PostgresAddress, wanted: Int, now: @escaping @Sendable () -> Date
    ) throws -> DoctorDatabase {
        let settings = PostgresSettings(
            address: address, connections: wanted, questions: .live, now: now, jitter: { 0 })
        return try PostgresInspection.read(settings) { connection in
            var found = DoctorDatabase(
                check: .postgres(try facts(connection, wanted: wanted, servers: address.servers)))
            let asked = now()
            let time = try connection.first(
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", []
            ) { $0.date(0) }
            let answered = now()
            found.folder = try PostgresDataFolder(connection)
            found.nodes = try CitusNode.all(of: connection)
            found.ahead = time.map { ClockCheck.ahead(of: $0, asked: asked, answered: answered) }
            let hasSchema = try connection.first("SELECT to_regclass('schema_version') IS NOT NULL", []) {
                $0.text(0) == "t"
            }
            try found.readContent(connection, hasSchema: hasSchema == true)
            return found
        }
    }

    private static func facts(
        _ connection: any SQLConnection, wanted: Int, servers: Int
    ) throws -> DatabaseCheck.PostgresFacts {
        let settings = try connection.query(
            """
            SELECT name, setting FROM pg_settings WHERE name IN ('server_version_num', 'server_encoding', 'fsync',
                'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'max_connections',
                'max_locks_per_transaction', 'max_pred_locks_per_transaction')
            """,
            []
        ) { ($0.text(0), $0.text(1)) }
        let values = Dictionary(settings) { first, _ in first }
        let state = try connection.first(
            """
            SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END,
                (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
            """,
            []
        ) { (isReplica: $0.integer(0) == 1, used: Int($0.integer(1))) }
        let partitions = try connection.first(
            """
            SELECT count(*) AS parts FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent
            JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE n.nspname = current_schema() AND t.relkind = 'p' GROUP BY t.oid ORDER BY parts DESC LIMIT 1
            """,
            []
        ) { Int($0.integer(0)) }
        func number(_ name: String) -> Int { values[name].flatMap { WholeNumber.read($0) } ?? 0 }
        let locks = DatabaseCheck.LockSetting.allCases.map { ($0, number($0.rawValue)) }
        return DatabaseCheck.PostgresFacts(
            version: number("server_version_num"), encoding: values["server_encoding"] ?? "",
            durability: values.filter { ["fsync", "full_page_writes", "synchronous_commit"].contains($0.key) },
            synchronousStandbys: values["synchronous_standby_names"] ?? "", servers: servers,
            isReplica: state?.isReplica == true, maximumConnections: number("max_connections"),
            // The doctor's own connection is one of those in use, and is about to close.
            usedConnections: max((state?.used ?? 0) - 1, 0),
            wantedConnections: wanted + PostgresSettings.bellConnections, partitions: partitions ?? 0,
            locks: Dictionary(locks) { first, _ in first }
        )
    }

    private mutating func readContent(_ connection: any SQLConnection, hasSchema: Bool) throws {
        guard hasSchema else {
            schema = 0
            return
        }
        let version = try connection.newestSchema()
        schema = version
        // This version cannot know the tables of a newer schema.
        guard version <= Migration.newestAccepted else { return }
        let found = try connection.query("SELECT id, code FROM apps ORDER BY id", []) { ($0.integer(0), $0.text(1)) }
        apps = try found.map { id, code in
            App(id: id, code: code, credentials: try connection.credentials.all(app: id))
        }
        partitions = try PartitionedTable.all.compactMap { try connection.partitions(of: $0) }
        if version >= Self.firstWithQuarantine { quarantined = try connection.workAttempts.counts() }
    }
}
