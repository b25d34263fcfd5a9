import BelfryModel
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// Two servers that get the same calls, and differ in the express lane only.
struct Twins: Sendable {
    let lane: TestServer
    let plain: TestServer

    static func run(_ test: @Sendable (Twins) async throws -> Void) async throws {
        try await TestServer.run(over: .lane) { lane in
            try await TestServer.run(over: .socket) { plain in
                try await test(Twins(lane: lane, plain: plain))
            }
        }
    }

    /// Does the same to both.
    func both<Value: Sendable>(
        _ act: @escaping @Sendable (TestServer) async throws -> Value
    ) async throws -> (lane: Value, plain: Value) {
        async let first = act(self.lane)
        async let second = act(self.plain)
        return try await (lane: first, plain: second)
    }

    func advance(by seconds: TimeInterval) {
        lane.clock.advance(by: seconds)
        plain.clock.advance(by: seconds)
    }

    /// Expects that both databases hold the same.
    func expectSameContents(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let contents = try await both { try await $0.meaning() }
        #expect(contents.lane == contents.plain, comment, sourceLocation: sourceLocation)
    }
}

/// One connection to each of two servers.
struct TwinConnections: Sendable {
    let lane: WireConnection
    let plain: WireConnection

    static func open(to twins: Twins) async throws -> TwinConnections {
        let opened = try await twins.both { try await WireConnection.open(to: $0) }
        return TwinConnections(lane: opened.lane, plain: opened.plain)
    }

    func both<Value: Sendable>(
        _ act: @escaping @Sendable (WireConnection) async throws -> Value
    ) async throws -> (lane: Value, plain: Value) {
        async let first = act(self.lane)
        async let second = act(self.plain)
        return try await (lane: first, plain: second)
    }

    func close() async {
        await lane.close()
        await plain.close()
    }
}

extension TestServer {
    /// The content of the database. The lane stores a snapshot unchanged, the router encodes it again; both are
    /// equivalent.
    func meaning() async throws -> [String] {
        let others = try await contents().filter { !$0.hasPrefix("registrations:") }
        let registrations = try await database.read { connection in
            try connection.query(
                """
                SELECT id, device_id, registration_id, revision, status, rejected, request_order, received_at,
                    coalesce(processed_at, 0), snapshot
                FROM registrations ORDER BY id
                """, []
            ) { row in
                let snapshot = try JSONDecoder().decode(RegistrationSnapshot.self, from: Data(row.text(9).utf8))
                let columns = (0..<9).map { row.text($0) }.joined(separator: " ")
                let meaning = try JSONValue(encoding: snapshot).text
                return "registration: \(columns) \(meaning)"
            }
        }
        return others + registrations
    }
}
