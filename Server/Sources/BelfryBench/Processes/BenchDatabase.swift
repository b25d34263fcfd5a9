import BelfryCommand
import BelfryPostgres
import BelfrySQLite
import BelfryStore
import Foundation

/// The database engine of a benchmark's server.
enum BenchEngine: Hashable, Sendable {
    case sqlite
    /// PostgreSQL: a new schema in the database at this address, which is dropped afterwards.
    case postgres(String, connections: Int)
}

/// The database of a benchmark's server, for code that fills or reads it beside the server.
enum BenchDatabase: Sendable {
    case file(URL)
    case postgres(PostgresAddress)

    /// Opens the database, runs the body, and closes the database, also after an error.
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

    /// Reads a PostgreSQL database beside the server, without opening a store. Returns nil for SQLite.
    func inspected<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output? {
        guard case .postgres(let address) = self else { return nil }
        return try PostgresInspection.read(.ofBench(address), body)
    }

    /// The columns of a line of SQLite's query plan.
    private enum PlanPlace: Int, ResultPlace {
        case id, parent, unused, detail
    }

    /// The engine's query plan, line by line. PostgreSQL plans the query as the server runs it: without the argument
    /// values, and with the types that the driver declares.
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

    /// Vacuums and analyzes a PostgreSQL database now, as the engine would do within the next minutes: much was written
    /// past the server.
    func settle() throws {
        guard case .postgres(let address) = self else { return }
        try PostgresScript.run("VACUUM ANALYZE", at: address)
    }
}

extension SQLValue {
    /// The type that the driver declares; a null may be of any type.
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
    /// Settings with few connections, because the server needs the others.
    static func ofBench(_ address: PostgresAddress) -> PostgresSettings {
        PostgresSettings(
            address: address, connections: minimumConnections, questions: .live, now: { Date() },
            jitter: { Double.random(in: 0...1) }
        )
    }
}

extension BenchEngine {
    /// Whether the engine's commits wait for the disk. SQLite's always do; PostgreSQL's do unless its server is
    /// configured otherwise.
    func isSynced() throws -> Bool {
        guard case .postgres(let address, _) = self else { return true }
        return try PostgresInspection.read(.ofBench(try PostgresAddress(address))) { connection in
            try connection.first("SELECT current_setting('fsync')", []) { $0.text(0) == "on" } ?? false
        }
    }

    /// Runs the body with an empty database and the environment of a server that uses it. Removes a PostgreSQL schema
    /// afterwards.
    ///
    /// - Parameter data: the server's data directory.
    func run<Value>(
        data: URL, _ body: (_ environment: [String: String], _ database: BenchDatabase) async throws -> Value
    ) async throws -> Value {
        guard case .postgres(let address, let connections) = self else {
            return try await body([:], .file(data.appending(path: "belfry.sqlite")))
        }
        return try await TemporarySchema.run(in: address, "belfry_bench") { schema in
            let environment = [
                "BELFRY_DATABASE": schema.text, "BELFRY_DATABASE_CONNECTIONS": "\(connections)",
                "BELFRY_SECRET_KEY": schema.secret,
            ]
            return try await body(environment, .postgres(schema.address))
        }
    }
}
