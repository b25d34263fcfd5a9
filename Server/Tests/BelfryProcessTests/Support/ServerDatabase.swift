import BelfryServerTestSupport
import Foundation

/// The database of a test's servers: SQLite in their data directory, or one on PostgreSQL that they share.
struct ServerDatabase: Sendable {
    /// The secret of servers that share a database; at least 32 characters.
    static let secretKey = "the-secret-of-all-servers-of-this-test"

    /// The environment of `belfry serve`.
    let environment: [String: String]
    /// Opens it beside the servers.
    let open: @Sendable () throws -> OpenTestStore
    /// SQLite's; nil on PostgreSQL.
    var file: URL?

    /// The SQLite database in a data directory.
    static func onSQLite(in place: URL, environment: [String: String] = [:]) -> ServerDatabase {
        let file = place.appending(path: "belfry.sqlite")
        return ServerDatabase(environment: environment, open: { try Engine.sqlite.open(at: place) }, file: file)
    }

    /// The environment variables that give a server its PostgreSQL database.
    static func environment(_ address: String) -> [String: String] {
        ["BELFRY_DATABASE": address, "BELFRY_SECRET_KEY": secretKey]
    }

    /// The accepted deliveries in the ledger, read directly from the database.
    func accepted() async throws -> Set<AcceptedDelivery> {
        try await opened { try await $0.acceptedDeliveries() }
    }

    /// How many sends of the ledger are still to be made, read past the servers.
    func pending() async throws -> Int {
        try await opened { try await $0.pendingDeliveries() }
    }

    /// How many batches the servers have in work, read past them.
    func batchesInWork() async throws -> Int {
        try await opened { try await $0.batchesInWork() }
    }

    /// How often a batch was begun alone that has not got on, read past the servers.
    func attempts() async throws -> Int {
        try await opened { try await $0.batchAttempts() }
    }

    /// Writes devices past the servers.
    func write(_ devices: [WrittenDevice], app: String) async throws {
        try await opened { try await $0.write(devices, app: app, now: Date()) }
    }

    func opened<Value>(_ body: (OpenTestStore) async throws -> Value) async throws -> Value {
        let store = try await offPool { [open] in try open() }
        let value = try await body(store)
        try await offPool { try store.close() }
        return value
    }
}

extension Stage {
    /// Gives the stage's servers an empty database of that engine, which is gone afterwards.
    func withDatabase(_ engine: Engine, _ body: (ServerDatabase) async throws -> Void) async throws {
        switch engine {
        case .sqlite:
            try await body(.onSQLite(in: dataDirectory))
        case .postgres:
            let place = folder.appending(path: "belfry-servers-\(UUID().uuidString)")
            let schema = place.lastPathComponent
            try await offPool { try TestPostgres.makeSchema(schema) }
            let outcome: Result<Void, any Error>
            do {
                let environment = ServerDatabase.environment(try TestPostgres.text(schema: schema))
                outcome = .success(
                    try await body(ServerDatabase(environment: environment) { try engine.open(at: place) }))
            } catch {
                outcome = .failure(error)
            }
            try await offPool { TestPostgres.dropSchema(schema) }
            try outcome.get()
        }
    }

    /// Starts two servers that share a database and ends them, however the body ends.
    func withTwoServers(
        on database: ServerDatabase, _ body: (_ first: ServerProcess, _ second: ServerProcess) async throws -> Void
    ) async throws {
        let second = folder.appending(path: "second", directoryHint: .isDirectory)
        try await withServer(environment: database.environment) { first in
            try await withServer(data: second, environment: database.environment) { try await body(first, $0) }
        }
    }
}
