import BelfryStore
import Foundation

/// Reads what a server and its database cost, from outside.
struct EngineMeter: Sendable {
    /// Longer than PostgreSQL's idle processes keep to themselves what they have counted: ten seconds.
    private static let settling = Duration.seconds(11)

    private let server: BenchServer
    /// The process from which all others of PostgreSQL come. Nil when it is not on this machine, or none.
    private let postmaster: Int32?

    init(_ server: BenchServer) throws {
        self.server = server
        postmaster = try server.database.inspected(Self.postmaster).flatMap { $0 }
    }

    /// Waits until the database has told all that it has counted.
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

    /// Nothing with SQLite, which does not count them.
    func tables() throws -> [TableChurn] {
        try server.database.inspected { try TableChurn.read($0) } ?? []
    }

    /// Bytes within SQLite's file in which nothing is any more. Nil with PostgreSQL, which tells of rows instead.
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

/// PostgreSQL's own figures.
extension EngineMeter {
    private static let usageSQL: SQLText = """
        SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), (SELECT coalesce(sum(pg_total_relation_size(relid)), 0)
            FROM pg_stat_user_tables WHERE schemaname = current_schema())
        """

    /// All that was ever written into the server's log, and what the schema's tables take.
    static func usage(_ connection: any SQLConnection) throws -> (logBytes: Int, storedBytes: Int) {
        let found = try connection.first(usageSQL, []) { row in
            (logBytes: Int(row.integer(0)), storedBytes: Int(row.integer(1)))
        }
        guard let found else { throw StoreError.corrupted(table: "pg_stat_user_tables", key: "sum") }
        return found
    }

    /// The parent of the connection's own process. On another machine the number may be another program's.
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
