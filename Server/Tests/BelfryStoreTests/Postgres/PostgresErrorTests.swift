import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

struct PostgresErrorTests {
    /// One that the table does not take.
    private static let rejected: SQLText = "INSERT INTO schema_version (version) VALUES (NULL)"

    /// One that could not be serialized, whatever else goes on.
    private static let conflict: SQLText = "DO $do$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $do$"

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
            try await database.write { _ = try $0.execute(Self.rejected, []) }
        }
        // A read that may share its view with others.
        await #expect(throws: (any Error).self) {
            try await database.glance { try $0.first("SELECT 1 / 0", []) { $0.integer(0) } }
        }
        #expect(states.withLock { $0 } == ["23502", "22012"])
    }

    @Test("FLEET-11, SEC-8: what the server says of data that it cannot read is damage", arguments: ["XX001", "XX002"])
    func damage(code: String) async throws {
        let schema = "damage-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let database = try PostgresDatabase(
            PostgresSettings(
                address: TestPostgres.address(schema: schema), connections: 3, questions: .standard, now: { Date() },
                jitter: { 0.5 }
            )
        )
        defer { database.close() }
        let statement = SQLText(ofTest: "DO $do$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(code)'; END $do$")
        let error = try await #require(throws: StoreError.self) {
            try await database.write { _ = try $0.execute(statement, []) }
        }
        guard case .damaged(let reason) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains(code))
    }

    @Test("FLEET-11: a transaction that runs again is told with its reason, each time that it does")
    func repetitions() async throws {
        let schema = "repetitions-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let reported = Mutex<(states: [String], reasons: [String])>(([], []))
        let database = try PostgresDatabase(
            PostgresSettings(
                address: TestPostgres.address(schema: schema), connections: 3, questions: .standard, now: { Date() },
                jitter: { 0.5 }, onError: { state in reported.withLock { $0.states.append(state) } },
                onRepetition: { reason in reported.withLock { $0.reasons.append(reason) } }
            )
        )
        defer { database.close() }
        // Beside other tests the schema may have been made in more than one attempt.
        let before = reported.withLock { (states: $0.states.count, reasons: $0.reasons.count) }
        let counted = try #require(TestPostgres.repeated(in: database))
        let runs = Mutex(0)
        try await database.write { connection in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run < 3 { _ = try connection.execute(Self.conflict, []) }
        }
        #expect(runs.withLock { $0 } == 3)
        #expect(reported.withLock { Array($0.states.dropFirst(before.states)) } == ["40001", "40001"])
        #expect(
            reported.withLock { Array($0.reasons.dropFirst(before.reasons)) } == ["serialization", "serialization"])
        let after = try #require(TestPostgres.repeated(in: database))
        #expect(after == counted + 2)
    }
}
