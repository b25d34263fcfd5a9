import BelfryPostgres
import BelfryStore
import Foundation
import Testing

/// A store on the Citus cluster of a test run, which Scripts/with-citus starts and names in the environment (FLEET-6).
/// Its schema is gone when the test is over.
package final class TestCitus: Sendable {
    package static let variable = "BELFRY_TEST_CITUS"
    package static let isThere = ProcessInfo.processInfo.environment[variable] != nil
    package static let reason: Comment =
        "NOT tested here: build Citus (Docs/Decisions/0009-citus.md), then run 'Scripts/with-citus make test'"

    package struct Missing: Error {
        package init() {}
    }

    private let address: PostgresAddress
    private let store: PostgresDatabase

    package var database: any SQLDatabase { store }

    /// The newest schema, all of it on the coordinator.
    package init() throws {
        let schema = "belfry-citus-\(UUID().uuidString)"
        try Self.makeSchema(schema)
        let address = try PostgresAddress(Self.text(schema: schema))
        self.address = address
        store = try PostgresDatabase(Self.settings(address))
    }

    /// The address of a schema on the cluster, as a program gets it.
    package static func text(schema: String) throws -> String {
        guard let server = ProcessInfo.processInfo.environment[variable] else { throw Missing() }
        return TestPostgres.text(schema: schema, of: server)
    }

    /// An empty one.
    package static func makeSchema(_ name: String) throws {
        let address = try PostgresAddress(text(schema: name))
        try PostgresScript.run(SQLText(ofTest: "CREATE SCHEMA \"\(name)\""), at: address)
    }

    package static func dropSchema(_ name: String) throws {
        let address = try PostgresAddress(text(schema: name))
        try PostgresScript.run(SQLText(ofTest: "DROP SCHEMA \"\(name)\" CASCADE"), at: address)
    }

    private static func settings(_ address: PostgresAddress) -> PostgresSettings {
        PostgresSettings(address: address, questions: .patient, now: { Date() }, jitter: { 0.5 })
    }

    /// Distributes the database, as a program is to do before it enters it. Whoever has entered it before goes on as on one
    /// server.
    ///
    /// - Returns: the tables that got a place.
    package func distribute(copyingRows: Bool) throws -> [String] {
        try PostgresDistribution.setUp(Self.settings(address), copyingRows: copyingRows)
    }

    /// The database as a program enters it now, until it closes it.
    package func enter() throws -> OpenTestStore {
        let entered = try PostgresDatabase(Self.settings(address))
        return OpenTestStore(database: entered, close: { entered.close() })
    }

    deinit {
        store.close()
        try? PostgresScript.run(
            "DO $drop$ BEGIN EXECUTE format('DROP SCHEMA %I CASCADE', current_schema()); END $drop$", at: address
        )
    }

    /// What the cluster says of the first statement that it refuses; nil if it has done all.
    ///
    /// - Parameter statements: run on a connection of their own, with a semicolon between.
    package func error(of statements: String) -> String? {
        do {
            try PostgresScript.run(SQLText(ofTest: statements), at: address)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
