import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

struct PostgresErrorTests {
    /// One that the table does not take.
    private static let refused: SQLText = "INSERT INTO schema_version (version) VALUES (NULL)"

    @Test("FLEET-11: what the server has refused of a single write or read is told by its state, too")
    func states() async throws {
        let schema = "errors-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let states = Mutex<[String]>([])
        let database = try PostgresDatabase(
            PostgresSettings(
                address: TestPostgres.address(schema: schema), connections: 3, questions: .standard, now: { Date() },
                jitter: { 0.5 }, onError: { state in states.withLock { $0.append(state) } }
            )
        )
        defer { database.close() }
        await #expect(throws: StoreError.self) {
            try await database.write { _ = try $0.execute(Self.refused, []) }
        }
        // A read that may share its view with others.
        await #expect(throws: (any Error).self) {
            try await database.glance { try $0.first("SELECT 1 / 0", []) { $0.integer(0) } }
        }
        #expect(states.withLock { $0 } == ["23502", "22012"])
    }
}
