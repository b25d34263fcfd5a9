import BelfryStore
import Foundation

/// Measures from outside what a server and its database use.
struct EngineMeter: Sendable {
    /// Longer than the 10 s for which PostgreSQL's idle processes may hold back their statistics.
    private static let settling = Duration.seconds(11)

    private let server: BenchServer
    /// PostgreSQL's parent process. Nil when it is not on this machine, or there is none.
    private let postmaster: Int32?

    init(_ server: BenchServer) throws {
        self.server = server
        postmaster = try server.database.inspected(Self.postmaster).flatMap { $0 }
    }

    /// Waits until the database has published all its statistics.
    func settle() async throws {
        guard case .postgres = server.database else { return }
        try await Task.sleep(for: Self.settling)
    }

    func cost() throws -> EngineCost {
        let serverSeconds = ChildCost.cpuSeconds(of: server.process)
        let serverBytes = ChildCost.writtenBytes(of: server.process)
        guard let usage = try server.database.inspected(Self.usage) else {
            return EngineCost(
                serverSeconds: serverSeconds, databaseSeconds: 0, writtenBytes: serverBytes, logBytes: nil,
                storedBytes: Self.bytes(of: server.file.path) + Self.bytes(of: "\(server.file.path)-wal")
            )
        }
        var writtenBytes: Int?
        if let serverBytes, let databaseBytes = postmaster.flatMap({ ChildCost.writtenBytes(ofFamily: $0) }) {
            writtenBytes = serverBytes + databaseBytes
        }
        return EngineCost(
            serverSeconds: serverSeconds, databaseSeconds: postmaster.flatMap { ChildCost.cpuSeconds(ofFamily: $0) },
            writtenBytes: writtenBytes, logBytes: usage.logBytes, storedBytes: usage.storedBytes
        )
    }

    /// The statistics of PostgreSQL's tables. Empty with SQLite, which has none.
    func tables() throws -> [TableChurn] {
        try server.database.inspected { try TableChurn.read($0) } ?? []
    }

    /// The bytes of the free pages in SQLite's file. Nil with PostgreSQL, which reports dead rows instead.
    func freeBytes() async throws -> Int? {
        guard case .file = server.database else { return nil }
        return try await server.database.opened { database in
            try await database.read { try $0.first(Self.freeSQL, []) { Int($0.integer(0)) } }
        }
    }

    private static let freeSQL: SQLText = """
        SELECT (SELECT freelist_count FROM pragma_freelist_count()) * (SELECT page_size FROM pragma_page_size())
        """
}

/// The figures that PostgreSQL reports itself.
extension EngineMeter {
    private static let usageSQL: SQLText = """
        SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), (SELECT coalesce(sum(pg_total_relation_size(relid)), 0)
            FROM pg_stat_user_tables WHERE schemaname = current_schema())
        """

    /// The bytes that were ever written to the server's log, and the size of the schema's tables.
    static func usage(_ connection: any SQLConnection) throws -> (logBytes: Int, storedBytes: Int) {
        let found = try connection.first(usageSQL, []) { row in
            (logBytes: Int(row.integer(0)), storedBytes: Int(row.integer(1)))
        }
        guard let found else { throw StoreError.corrupted(table: "pg_stat_user_tables", key: "sum") }
        return found
    }

    /// The parent of the connection's server process. On another machine the number may belong to another program.
    private static func postmaster(_ connection: any SQLConnection) throws -> Int32? {
        let id = try connection.first("SELECT pg_backend_pid()", []) { Int32(truncatingIfNeeded: $0.integer(0)) }
        guard let id, let process = ProcessStat.read(id), let parent = ProcessStat.read(process.parent),
            process.name == "postgres", parent.name == "postgres"
        else { return nil }
        return process.parent
    }

    private static func bytes(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
}
