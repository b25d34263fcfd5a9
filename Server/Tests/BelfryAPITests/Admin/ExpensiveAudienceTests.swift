import BelfryAPI
import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Synchronization
import Testing

/// Audiences that cost more than they may, as the attack had them: ten clauses over the history of one contact.
struct ExpensiveAudienceTests {
    /// A clock of counted work: it continues by one each time it is looked at.
    private final class Ticks: Sendable {
        private let value = Atomic<UInt64>(0)
        func next() -> UInt64 { value.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    private static let heavy: String = {
        let clauses = (0..<10).map { clause in
            let parts = (0..<21).map { #"{"attribute":"k","op":"contains","value":"none \#(clause) \#($0)"}"# }
            return #"{"not":{"event":"e","where":{"any":[\#(parts.joined(separator: ","))]}}}"#
        }
        return #"{"audience":{"all":[{"contactKeys":["mob"]},\#(clauses.joined(separator: ","))]}}"#
    }()
    private static let light = #"{"audience":{"known":true}}"#

    private static func fill(_ server: TestServer, events: Int) async throws {
        try await server.makeApp()
        var device = TestDevice(server)
        try await device.start(contactKey: "mob")
        try await server.database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                SELECT d.id, 'h' || n.i, d.app_id, d.contact_id, 'custom', 'e', 0, 0, '{"k":"the quick brown fox"}'
                FROM devices d CROSS JOIN n
                """,
                [.integer(events)]
            )
        }
    }

    @Test(
        "SEC-8, ADM-3: an audience that is too expensive is a 422 that says what to do, and the next one works",
        // The budget is counted work here; PostgreSQL's is a moment of its own time, which a busy machine may spend
        // elsewhere. BelfryStoreTests has it.
        .enabled(if: Engine.ofThisRun == .sqlite))
    func tooExpensive() async throws {
        let ticks = Ticks()
        var limits = QuestionLimits { ticks.next() }
        limits.countingBudget = 400
        try await TestServer.run(questions: limits) { server in
            try await Self.fill(server, events: 5_000)
            for _ in 1...6 {
                let response = try await server.admin(.post, "/apps/shop/audience", Self.heavy)
                #expect(response.status == .unprocessableContent, "\(response.text)")
                let error = try response.json(ErrorBody.self).error
                #expect(error.code == "tooExpensive" && error.target == "audience")
                #expect(error.message.contains("Narrow it"))
            }
            let response = try await server.admin(.post, "/apps/shop/audience", Self.light)
            #expect(try response.json(AudienceCountResponse.self).devices == 1)
        }
    }

    @Test("SEC-8: beyond the waiting limit a count is a 429 with Retry-After, and other calls continue")
    func crowded() async throws {
        try await TestServer.run { server in
            try await Self.fill(server, events: 1)
            let (begun, signal) = AsyncStream<Void>.makeStream()
            let endless = Task {
                try await server.database.ask(.counting(app: 1)) { asked in
                    signal.yield()
                    _ = try asked.connection.query(
                        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i % 9 FROM n) SELECT count(*) FROM n", []
                    ) { $0.integer(0) }
                }
            }
            for await _ in begun { break }
            let waiting = (0..<8).map { _ in Task { try await server.database.ask(.counting(app: 1)) { _ in } } }
            // When all eight have come, at least four have been rejected.
            var rejected = 0
            await withTaskGroup(of: Bool.self) { group in
                for task in waiting {
                    group.addTask {
                        if case .failure(let error) = await task.result { return error as? StoreError == .crowded }
                        return false
                    }
                }
                for await isRejected in group where isRejected {
                    rejected += 1
                    if rejected == 4 { break }
                }
                let response = try? await server.admin(.post, "/apps/shop/audience", Self.light)
                #expect(response?.status == .tooManyRequests && response?.headers[.retryAfter] == "5")
                let other = try? await server.admin(.get, "/apps")
                #expect(other?.status == .ok)
                endless.cancel()
                await group.waitForAll()
            }
            #expect(rejected == 4)
        }
    }

    @Test(
        "SEC-8: when the caller of a count ends the connection, its statement ends and the place is free",
        // The clock of this budget is SQLite's; BelfryStoreTests has the same for PostgreSQL.
        .enabled(if: Engine.ofThisRun == .sqlite), .timeLimit(.minutes(15)))
    func departed() async throws {
        let (looks, looked) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var limits = QuestionLimits {
            looked.yield()
            return 0
        }
        limits.countingBudget = .max
        try await TestServer.run(questions: limits, over: .lane) { server in
            try await Self.fill(server, events: 300_000)
            let connection = try await WireConnection.open(to: server)
            let head = """
                POST /api/v1/apps/shop/audience HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \
                \(TestServer.rootKey)\r\nContent-Type: application/json\r\nContent-Length: \(Self.heavy.utf8.count)\r\n\r\n
                """
            try await connection.send(Array((head + Self.heavy).utf8))
            // It is under way.
            for await _ in looks { break }
            await connection.close()
            let count = try await server.database.ask(.counting(app: 1)) { try $0.connection.apps.all().count }
            #expect(count == 1)
            // A finished count is stored.
            let audited = try await server.database.read {
                try $0.first("SELECT count(*) FROM audit_log WHERE action = 'audience.count'", []) { $0.integer(0) }
            }
            #expect(audited == 0)
        }
    }
}
