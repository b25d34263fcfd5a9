import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

/// STO-2: the server goes away and comes back.
struct PostgresOutageTests {
    /// Ends all connections that this schema's stores have.
    private static func endConnections(of schema: String) throws {
        try PostgresScript.run(
            SQLText(
                ofTest: """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND application_name = '\(schema)'
                    """
            ),
            at: TestPostgres.address(schema: schema)
        )
    }

    private static func withSchema(_ body: (String, ManualClock, PostgresDatabase) async throws -> Void) async throws {
        let schema = "outage-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let clock = ManualClock(storeEpoch)
        let address = try PostgresAddress(TestPostgres.text(schema: schema) + "&application_name=\(schema)")
        let database = try PostgresDatabase(
            PostgresSettings(
                address: address, connections: 2, writers: 1, questions: .standard, now: { clock.now }, jitter: { 0.5 }
            )
        )
        defer { database.close() }
        try await body(schema, clock, database)
    }

    @Test("STO-2: connections that were closed are reopened, without effect on callers", .timeLimit(.minutes(10)))
    func ended() async throws {
        try await Self.withSchema { schema, _, database in
            for number in 0..<4 {
                _ = try await database.write { try $0.makeApp("app-\(number)") }
                #expect(try await database.read { try $0.apps.all().count } == number + 1)
                try Self.endConnections(of: schema)
            }
            #expect(try await database.read { try $0.apps.all().count } == 4)
        }
    }

    @Test(
        "WIRE-26, STO-2: a connection that ends in the middle of a write affects nobody",
        .timeLimit(.minutes(10))
    )
    func endedInside() async throws {
        try await Self.withSchema { schema, _, database in
            let runs = Mutex(0)
            _ = try await database.write { connection in
                let id = try connection.makeApp("app")
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 { try Self.endConnections(of: schema) }
                return try connection.apps.find(id: id)?.id
            }
            #expect(runs.withLock { $0 } == 2)
            #expect(try await database.read { try $0.apps.all().count } == 1)
        }
    }

    @Test("WIRE-26, STO-2: after a commit that was cut off the result is unknown, and it is not repeated")
    func cutOffCommit() async throws {
        try await Self.withSchema { schema, _, database in
            let runs = Mutex(0)
            let error = await #expect(throws: StoreError.self) {
                try await database.write { connection in
                    runs.withLock { $0 += 1 }
                    _ = try connection.makeApp("app")
                    try Self.endConnections(of: schema)
                }
            }
            guard case .tryAgain(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("may have succeeded") && runs.withLock { $0 } == 1)
            let apps = try await database.read { try $0.apps.all() }
            #expect(apps.isEmpty)
        }
    }

    @Test(
        "STO-2: while the server refuses connections, calls fail at once and say so; then they work again",
        .timeLimit(.minutes(10)))
    func gone() async throws {
        try await Self.withSchema { schema, clock, database in
            _ = try await database.write { try $0.makeApp() }
            // For any user but its owner it is as good as gone.
            let role = "role-\(schema)"
            let owner = try TestPostgres.address(schema: schema)
            try PostgresScript.run(SQLText(ofTest: "CREATE ROLE \"\(role)\" LOGIN"), at: owner)
            defer {
                try? PostgresScript.run(SQLText(ofTest: "DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\""), at: owner)
            }
            try PostgresScript.run(SQLText(ofTest: "GRANT ALL ON SCHEMA \"\(schema)\" TO \"\(role)\""), at: owner)
            try PostgresScript.run(
                SQLText(ofTest: "GRANT ALL ON ALL TABLES IN SCHEMA \"\(schema)\" TO \"\(role)\""), at: owner)
            let guest = try PostgresDatabase(
                PostgresSettings(
                    address: PostgresAddress(
                        TestPostgres.text(schema: schema) + "&application_name=\(schema)&user=\(role)"
                    ),
                    connections: 2, questions: .standard, now: { clock.now }, jitter: { 0.5 }
                )
            )
            defer { guest.close() }
            #expect(try await guest.read { try $0.apps.all().count } == 1)
            try PostgresScript.run(SQLText(ofTest: "ALTER ROLE \"\(role)\" NOLOGIN"), at: owner)
            try Self.endConnections(of: schema)
            for _ in 0..<3 { await Self.expectNoAnswer(guest) }
            try PostgresScript.run(SQLText(ofTest: "ALTER ROLE \"\(role)\" LOGIN"), at: owner)
            // It is not asked again before its time.
            await Self.expectNoAnswer(guest)
            clock.advance(by: 5)
            #expect(try await guest.read { try $0.apps.all().count } == 1)
        }
    }

    private static func expectNoAnswer(_ database: PostgresDatabase) async {
        let error = await #expect(throws: StoreError.self) { try await database.read { try $0.apps.all().count } }
        guard case .tryAgain(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("not permitted to log in"))
    }

    @Test("FLEET-7, STO-2: a connection whose server takes no writes any more is left, and another one is made")
    func readOnly() async throws {
        try await Self.withSchema { _, clock, database in
            _ = try await database.write { try $0.makeApp("first") }
            // Of the one connection that writes.
            _ = try await database.write {
                try $0.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", [])
            }
            let error = await #expect(throws: StoreError.self) {
                try await database.write { try $0.makeApp("second") }
            }
            guard case .tryAgain(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("25006"))
            clock.advance(by: 1)
            _ = try await database.write { try $0.makeApp("third") }
            #expect(try await database.read { try $0.apps.all().count } == 2)
        }
    }

    @Test("STO-2: a call after the end gets an error")
    func closed() async throws {
        try await Self.withSchema { _, _, database in
            database.close()
            await #expect(throws: StoreError.self) { try await database.read { try $0.apps.all().count } }
            await #expect(throws: StoreError.self) { try await database.write { try $0.makeApp() } }
        }
    }
}
