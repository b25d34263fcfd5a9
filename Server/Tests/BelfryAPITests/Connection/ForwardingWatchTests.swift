import BelfryServices
import InMemoryLogging
import Logging
import Testing

@testable import BelfryAPI

@Suite("Proxies that are not configured")
struct ForwardingWatchTests {
    /// The log entries when peers send `X-Forwarded-For`, one after the other.
    private static func logged(_ proxies: TrustedProxies, _ peers: [String]) throws -> [InMemoryLogHandler.Entry] {
        let log = InMemoryLogHandler()
        let watch = ForwardingWatch(proxies: proxies, logger: Logger(label: "test") { _ in log })
        for peer in peers { watch.see(from: try #require(IPAddress(peer))) }
        return log.entries
    }

    @Test("SEC-11: an untrusted proxy on this machine causes one warning, even if other clients send the header")
    func loopback() throws {
        for proxies in [TrustedProxies.none, try #require(TrustedProxies("10.0.0.0/8"))] {
            let logged = try Self.logged(proxies, ["127.0.0.1", "::1", "127.0.0.1"])
            #expect(logged.count == 1)
            #expect(logged.first?.level == .warning)
            #expect(logged.first.map { "\($0.message)" }?.contains("--trusted-proxies") == true)
        }
        // A request from an unauthenticated client does not use the warning up.
        let logged = try Self.logged(.none, ["203.0.113.5", "203.0.113.6", "127.0.0.1"])
        #expect(logged.count == 2)
        #expect(logged.last.map { "\($0.message)" }?.contains("on this machine") == true)
        for entry in logged { #expect(!"\(entry.message) \(entry.metadata)".contains("203.0.113")) }
    }

    @Test("SEC-11: a trusted proxy causes no warning, nor do other senders when one is configured")
    func trusted() throws {
        let proxies = try #require(TrustedProxies("127.0.0.1, 10.0.0.0/8"))
        #expect(try Self.logged(proxies, ["127.0.0.1", "10.1.2.3", "203.0.113.5"]).isEmpty)
    }

    @Test(
        "SEC-11: the first request with the header causes a warning, on every way, without its address",
        .timeLimit(.minutes(10)), arguments: [ServerWay.lane, .socket]
    )
    func served(way: ServerWay) async throws {
        try await TestServer.run(over: way) { server in
            for _ in 0..<3 {
                let connection = try await WireConnection.open(to: server)
                var request = WireRequest.health
                #expect(try await connection.answer(to: request)?.status == 200)
                request.set("X-Forwarded-For", "203.0.113.77")
                #expect(try await connection.answer(to: request)?.status == 200)
                await connection.close()
            }
            let logged = server.log.entries.filter { "\($0.message)".contains("X-Forwarded-For") }
            #expect(logged.count == 1 && logged.first?.level == .warning)
            #expect(!server.log.entries.contains { "\($0.message) \($0.metadata)".contains("203.0.113.77") })
        }
    }
}
