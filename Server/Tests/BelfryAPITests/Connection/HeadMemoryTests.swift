import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

/// SEC-12: what heads that are not complete hold, all connections together.
// One at a time: each opens hundreds of files, and a process may have 1,024 on most machines.
@Suite("Heads that never become complete", .serialized, .timeLimit(.minutes(15)))
struct HeadMemoryTests {
    private static let memory = ConnectionRules.Settings.minimumBodyMemory
    /// 20,000 bytes of a head whose end does not come.
    private static let half =
        "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: \(text(10_000))\r\nX-B: \(text(9_945))"
    private static let whole = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func run(
        over way: ServerWay, _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var settings = ConnectionRules.Settings()
        settings.bodyMemory = memory
        try await TestServer.run(connections: settings, over: way) { try await test($0) }
    }

    /// Waits until so many connections have ended, and returns how many responses were not rejections.
    private static func ends(_ count: Int, of connections: [WireConnection]) async -> Int {
        await withTaskGroup(of: WireResponse?.self) { group in
            for connection in connections { group.addTask { await connection.next() } }
            var (ended, others) = (0, 0)
            while ended < count, let response = await group.next() {
                ended += 1
                // A client that is still sending may miss the response.
                if let response, response.status != 503 { others += 1 }
            }
            for connection in connections { await connection.close() }
            return others
        }
    }

    @Test(
        "SEC-12: incomplete heads hold a limited amount, also after a complete request; the longest waiting end",
        arguments: [ServerWay.lane, .socket], [false, true]
    )
    func halves(way: ServerWay, isBehind: Bool) async throws {
        try await Self.run(over: way) { server in
            let count = 130
            // Up to one slice behind a request is not counted, because both use the same buffer.
            let fit = Self.memory / 4 / BodyBudget.charge(forBytes: Self.half.utf8.count)
            #expect(fit < count)
            var connections: [WireConnection] = []
            for _ in 0..<count {
                let connection = try await WireConnection.open(to: server)
                try? await connection.send(Array(((isBehind ? Self.whole : "") + Self.half).utf8))
                if isBehind { #expect(await connection.next()?.status == 200) }
                connections.append(connection)
                #expect(server.rules.bodies.bytes.unauthenticated <= Self.memory / 4)
            }
            // Complete requests are answered meanwhile.
            let other = try await WireConnection.open(to: server)
            try await other.send(Array(Self.whole.utf8))
            #expect(await other.next()?.status == 200)
            #expect(await Self.ends(count - fit, of: connections) == 0)
            #expect(server.services.metrics.prometheusText().contains(#"ended_total{cause="bodies"}"#))
            await other.close()
        }
    }

    @Test(
        "SEC-12: a head that becomes complete gets its response, and nothing stays counted",
        arguments: [ServerWay.lane, .socket])
    func becomesWhole(way: ServerWay) async throws {
        try await Self.run(over: way) { server in
            let connection = try await WireConnection.open(to: server)
            for _ in 0..<3 {
                try await connection.send(Array(Self.half.utf8))
                while server.rules.bodies.bytes.unauthenticated == 0 { await Task.yield() }
                try await connection.send(Array("\r\n\r\n".utf8))
                #expect(await connection.next()?.status == 200)
                #expect(server.rules.bodies.isEmpty)
            }
            await connection.close()
        }
    }

    @Test("SEC-12: connections between two requests hold nothing, whatever their requests were")
    func idle() async throws {
        try await Self.run(over: .lane) { server in
            try await server.makeApp()
            let connection = try await WireConnection.open(to: server)
            let body = Self.text(30_000)
            let chunks = "2000\r\n\(Self.text(0x2000))\r\n0\r\n\r\n"
            let posts = [
                "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", "Transfer-Encoding: chunked\r\n\r\n\(chunks)",
                "X-Long: \(Self.text(12_000))\r\nContent-Length: 0\r\n\r\n",
            ]
            for post in posts + posts {
                let head = "POST /v3/apps/shop/client HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                try await connection.send(Array((head + post).utf8))
                #expect(await connection.next()?.status == 400)
                #expect(server.rules.bodies.isEmpty)
            }
            await connection.close()
        }
    }

    @Test("SEC-12: data after a request to upgrade is counted, and limited")
    func behindUpgrade() async throws {
        try await Self.run(over: .lane) { server in
            let connection = try await WireConnection.open(to: server, sendsOn: true)
            let upgrade = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
            try await connection.send(Array(upgrade.utf8))
            #expect(await connection.next()?.status == 200)
            try await connection.send([UInt8](repeating: 0x61, count: 1_000_000))
            while server.rules.bodies.bytes.unauthenticated < 1_000_000 { await Task.yield() }
            try? await connection.send([UInt8](repeating: 0x61, count: 2_000_000))
            #expect(await connection.next() == nil)
            while server.rules.bodies.bytes.unauthenticated > 0 { await Task.yield() }
        }
    }
}

extension BodyMemory {
    fileprivate var isEmpty: Bool {
        let held = bytes
        return held.unauthenticated == 0 && held.known == 0
    }
}
