import BelfryServices
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BelfryAPI

@Suite("The connections of an address")
struct AddressBudgetTests {
    private static func connection(_ id: UInt64, idleSince time: Int64) -> OpenConnection {
        let connection = OpenConnection(id: id, channel: EmbeddedChannel())
        connection.wentOn(at: .uptimeNanoseconds(UInt64(time)))
        return connection
    }

    private static func network(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text)).network
    }

    @Test("SEC-9: beyond its number the longest idle connection of the address ends; other addresses lose nothing")
    func idlest() throws {
        var budget = AddressBudget(maximum: 3, capacity: 1_000)
        let here = try Self.network("203.0.113.5")
        let there = try Self.network("203.0.113.6")
        let connections = [30, 10, 20].enumerated().map { Self.connection(UInt64($0), idleSince: Int64($1)) }
        for connection in connections {
            guard case .admitted = budget.open(connection, from: here) else {
                Issue.record("it is not admitted")
                return
            }
        }
        guard case .admitted = budget.open(Self.connection(8, idleSince: 1), from: there) else {
            Issue.record("another address pays")
            return
        }
        // The second has waited longest, but it's answered just now.
        connections[1].becameBusy()
        guard case .admittedFor(let other, _) = budget.open(Self.connection(9, idleSince: 40), from: here) else {
            Issue.record("nobody gave way")
            return
        }
        #expect(other.id == 2)
        #expect(budget.count(of: here) == 3)
    }

    @Test("SEC-9: if all connections are busy the new one is turned away; a closed one makes room")
    func busy() throws {
        var budget = AddressBudget(maximum: 2, capacity: 1_000)
        let here = try Self.network("2001:db8::1")
        let both = [0, 1].map { Self.connection($0, idleSince: 1) }
        for connection in both {
            _ = budget.open(connection, from: here)
            connection.becameBusy()
        }
        // A network of 64 bits is one address.
        let neighbour = try Self.network("2001:db8::2")
        guard case .rejected = budget.open(Self.connection(3, idleSince: 1), from: neighbour) else {
            Issue.record("it is admitted")
            return
        }
        budget.close(both[0], from: here)
        guard case .admitted = budget.open(Self.connection(3, idleSince: 1), from: neighbour) else {
            Issue.record("there is no room")
            return
        }
        #expect(budget.count(of: here) == 2)
        budget.close(both[1], from: here)
        budget.close(both[1], from: here)
        #expect(budget.count(of: here) == 1)
    }

    @Test(
        "SEC-9: an IPv6 network of 48 bits has few connections more than an address, whichever of its networks are used"
    )
    func site() throws {
        var budget = AddressBudget(maximum: 3, capacity: 1_000)
        for index in 0..<6 {
            let network = try Self.network("2001:db8:1:\(index)::1")
            guard case .admitted = budget.open(Self.connection(UInt64(index), idleSince: Int64(index)), from: network)
            else {
                Issue.record("\(index) is not admitted")
                return
            }
        }
        let seventh = try Self.network("2001:db8:1:ffff::1")
        guard case .admittedFor(let other, let network) = budget.open(Self.connection(7, idleSince: 9), from: seventh)
        else {
            Issue.record("the seventh network takes a place of its own")
            return
        }
        let first = try Self.network("2001:db8:1:0::1")
        #expect(other.id == 0 && network == first)
        #expect(budget.count(of: first) == 0 && budget.count(of: seventh) == 1)
        for text in ["2001:db8:2::1", "203.0.113.5"] {
            guard case .admitted = budget.open(Self.connection(8, idleSince: 9), from: try Self.network(text)) else {
                Issue.record("\(text) pays for others")
                return
            }
        }
    }

    @Test("SEC-9, SEC-12: a few addresses cannot take all connections; every other address gets one")
    func capacity() throws {
        var budget = AddressBudget(maximum: 100, capacity: 300)
        var last: UInt64 = 0
        func open(from text: String) throws -> AddressBudget.Admission {
            last += 1
            return budget.open(Self.connection(last, idleSince: Int64(last)), from: try Self.network(text))
        }
        for _ in 0..<200 { for address in 1...4 { _ = try open(from: "203.0.113.\(address)") } }
        let taken = try (1...4).reduce(0) { $0 + budget.count(of: try Self.network("203.0.113.\($1)")) }
        #expect(taken < 250, "they leave room")
        for address in 1...40 {
            guard case .admitted = try open(from: "198.51.100.\(address)") else {
                Issue.record("address \(address) is turned away")
                return
            }
        }
    }

    @Test("SEC-9: a connection that was to be closed and has become busy stays, and still counts")
    func stays() throws {
        for isBusy in [true, false] {
            let channel = EmbeddedChannel()
            channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
            let connection = OpenConnection(id: 1, channel: channel)
            var budget = AddressBudget(maximum: 1, capacity: 1_000)
            let here = try Self.network("203.0.113.5")
            _ = budget.open(connection, from: here)
            guard case .admittedFor(let other, _) = budget.open(Self.connection(2, idleSince: 9), from: here) else {
                Issue.record("nobody gave way")
                return
            }
            #expect(other.id == 1 && budget.count(of: here) == 1)
            let hasStayed = Atomic(false)
            other.endIfIdle { hasStayed.store(true, ordering: .relaxed) }
            if isBusy { connection.becameBusy() }
            channel.embeddedEventLoop.run()
            #expect(hasStayed.load(ordering: .relaxed) == isBusy && channel.isActive == isBusy)
            guard isBusy else { continue }
            budget.count(other, from: here)
            #expect(budget.count(of: here) == 2)
            budget.close(other, from: here)
            #expect(budget.count(of: here) == 1)
        }
    }

    @Test(
        "SEC-9: an address that opens many connections loses its own idle ones, and the newest are served",
        .timeLimit(.minutes(10)), arguments: [ServerWay.lane, .socket]
    )
    func served(way: ServerWay) async throws {
        var settings = ConnectionRules.Settings()
        settings.connectionsPerAddress = 5
        settings.countsLoopback = true
        try await TestServer.run(connections: settings, over: way) { server in
            var connections: [WireConnection] = []
            for _ in 0..<20 {
                let connection = try await WireConnection.open(to: server)
                connections.append(connection)
                #expect(try await connection.answer(to: .health)?.status == 200)
            }
            for connection in connections.prefix(15) { #expect(await connection.next() == nil) }
            for connection in connections.suffix(5) {
                #expect(try await connection.answer(to: .health)?.status == 200)
                await connection.close()
            }
            let metrics = server.services.metrics.prometheusText()
            #expect(metrics.contains("belfry_connections_ended_total{cause=\"address\"} "))
        }
    }

    @Test(
        "SEC-9: loopback is not counted unless configured, and a trusted proxy never is",
        .timeLimit(.minutes(10)), arguments: [(false, ""), (true, "127.0.0.0/8, ::1")]
    )
    func uncounted(countsLoopback: Bool, proxies: String) async throws {
        var settings = ConnectionRules.Settings()
        settings.connectionsPerAddress = 1
        settings.countsLoopback = countsLoopback
        let proxies = proxies.isEmpty ? TrustedProxies.none : try #require(TrustedProxies(proxies))
        try await TestServer.run(proxies: proxies, connections: settings, over: .lane) { server in
            let first = try await WireConnection.open(to: server)
            #expect(try await first.answer(to: .health)?.status == 200)
            let second = try await WireConnection.open(to: server)
            #expect(try await second.answer(to: .health)?.status == 200)
            #expect(try await first.answer(to: .health)?.status == 200)
            await first.close()
            await second.close()
        }
    }
}
