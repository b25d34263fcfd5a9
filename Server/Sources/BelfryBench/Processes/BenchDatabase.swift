import BelfryCommand
import BelfryPostgres
import BelfrySQLite
import BelfryStore
import Foundation

/// What the server of a benchmark stores in.
enum BenchEngine: Hashable, Sendable {
    case sqlite
    /// A schema of its own in the database at this address, which is gone afterwards.
    case postgres(String, connections: Int)
}

/// The database of a benchmark's server, for whoever fills it or looks into it beside the server.
enum BenchDatabase: Sendable {
    case file(URL)
    case postgres(PostgresAddress)

    /// Opens it for a body, and closes it however that ends.
    func opened<Value>(_ body: (any SQLDatabase) async throws -> Value) async throws -> Value {
        switch self {
        case .file(let file):
            let database = try SQLiteDatabase(path: file.path, questions: .live)
            defer { try? database.close() }
            return try await body(database)
        case .postgres(let address):
            let database = try PostgresDatabase(.ofBench(address))
            defer { database.close() }
            return try await body(database)
        }
    }

    /// Looks into a PostgreSQL database beside the server, without opening a store. Nil for a file.
    func inspected<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output? {
        guard case .postgres(let address) = self else { return nil }
        return try PostgresInspection.read(.ofBench(address), body)
    }

    /// What SQLite says of a line of a plan.
    private enum PlanPlace: Int, ResultPlace {
        case id, parent, unused, detail
    }

    /// How the engine finds what a query asks for, line by line. PostgreSQL plans it as where it runs: without its
    /// arguments, whose types are those that the driver declares.
    func plan(_ sql: SQLText, _ arguments: [SQLValue]) async throws -> [String] {
        try await opened { database in
            try await database.read { connection in
                switch self {
                case .file:
                    return try connection.query("EXPLAIN QUERY PLAN \(sql)", arguments) {
                        ResultRow<PlanPlace>($0).text(.detail)
                    }
                case .postgres:
                    func list(_ parts: [SQLText]) -> SQLText { parts.isEmpty ? "" : "(\(parts.joined(by: ", ")))" }
                    try connection.execute("PREPARE seen\(list(arguments.map(\.postgresType))) AS \(sql)")
                    let nulls = list(arguments.map { _ in "NULL" })
                    return try connection.query("EXPLAIN EXECUTE seen\(nulls)", []) { $0.text(0) }
                }
            }
        }
    }

    /// Does at once, for much that was written past the server, what the engine would do within the next minutes.
    func settle() throws {
        guard case .postgres(let address) = self else { return }
        try PostgresScript.run("VACUUM ANALYZE", at: address)
    }
}

extension SQLValue {
    /// As the driver declares it; a null may be anything.
    fileprivate var postgresType: SQLText {
        switch self {
        case .null: "unknown"
        case .integer: "bigint"
        case .real: "double precision"
        case .text: "text"
        case .blob: "bytea"
        }
    }
}

extension PostgresSettings {
    /// Few connections: the server has more to do.
    static func ofBench(_ address: PostgresAddress) -> PostgresSettings {
        PostgresSettings(
            address: address, connections: minimumConnections, questions: .live, now: { Date() },
            jitter: { Double.random(in: 0...1) }
        )
    }
}

extension BenchEngine {
    /// Whether its commits wait for the disk. SQLite's do, PostgreSQL's unless its server is told otherwise.
    func isSynced() throws -> Bool {
        guard case .postgres(let address, _) = self else { return true }
        return try PostgresInspection.read(.ofBench(try PostgresAddress(address))) { connection in
            try connection.first("SELECT current_setting('fsync')", []) { $0.text(0) == "on" } ?? false
        }
    }

    /// Lends the environment of a server that stores in it, and a database in which nothing is yet.
    ///
    /// - Parameter data: the server's directory.
    func run<Value>(
        data: URL, _ body: (_ environment: [String: String], _ database: BenchDatabase) async throws -> Value
    ) async throws -> Value {
        guard case .postgres(let address, let connections) = self else {
            return try await body([:], .file(data.appending(path: "belfry.sqlite")))
        }
        let number = UInt32.random(in: 0...UInt32.max)
        let schema: SQLText = "belfry_bench_\(number)"
        let text = "\(address)\(address.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema.statement)"
        let own = try PostgresAddress(text)
        try PostgresScript.run("CREATE SCHEMA \(schema)", at: own)
        defer { try? PostgresScript.run("DROP SCHEMA \(schema) CASCADE", at: own) }
        let secret = (0..<2).map { _ in UUID().uuidString }.joined(separator: "-")
        let environment = [
            "BELFRY_DATABASE": text, "BELFRY_DATABASE_CONNECTIONS": "\(connections)", "BELFRY_SECRET_KEY": secret,
        ]
        return try await body(environment, .postgres(own))
    }
}
