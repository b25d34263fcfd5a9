import BelfryPush
import BelfryServerTestSupport
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BelfryDelivery

@Suite("Pools to many push services", .timeLimit(.minutes(10)))
struct PushConnectionPoolsTests {
    /// A clock that stands still until a test moves it.
    private final class Clock: Sendable {
        private let time = Mutex(NIODeadline.uptimeNanoseconds(0))
        var now: NIODeadline { time.withLock { $0 } }
        func advance(by amount: TimeAmount) { time.withLock { $0 = $0 + amount } }
    }

    private static func makePools(
        limits: PoolLimits = PoolLimits(), settings: DeliverySettings = .quick, clock: Clock = Clock()
    ) -> PushConnectionPools {
        PushConnectionPools(
            group: MultiThreadedEventLoopGroup.singleton, settings: settings, limits: limits, now: { clock.now },
            jitter: { 0.5 }, logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func send(_ count: Int = 1, to route: PushRoute, by pools: PushConnectionPools) async -> [PushResult]
    {
        await withCheckedContinuation { continuation in
            let results = ResultCollector(count: count, continuation: continuation)
            pools.send((0..<count).map { .numbered($0) }, by: route) { results.receive($0, $1) }
        }
    }

    /// Runs peers that share a certificate, and their routes.
    private static func withPeers(
        _ count: Int, script: @escaping ScriptedPeer.Script,
        _ body: ([ScriptedPeer], [PushRoute]) async throws -> Void
    ) async throws {
        let certificate = try TestCertificate.good()
        var peers: [ScriptedPeer] = []
        for _ in 0..<count { peers.append(try await ScriptedPeer.start(certificate: certificate, script: script)) }
        let routes = try peers.map { peer in
            PushRoute(
                sender: "web", provider: .webpush, endpoint: try PushEndpoint("https://127.0.0.1:\(peer.port)"),
                trustRoots: [certificate.pem], isFromDevice: true
            )
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(peers, routes))
        } catch {
            outcome = .failure(error)
        }
        for peer in peers { await peer.stop() }
        try outcome.get()
    }

    @Test("PUSH-4: a route's connection is kept while it is used, closed when idle, and reopened when needed")
    func idlePools() async throws {
        let clock = Clock()
        let pools = Self.makePools(clock: clock)
        try await Self.withPeers(1, script: { [$0.answer()] }) { peers, routes in
            for _ in 0..<3 {
                let results = await Self.send(2, to: routes[0], by: pools)
                #expect(results.allSatisfy { $0.response?.status == 200 })
                clock.advance(by: .minutes(4))
                pools.closeIdle()
            }
            #expect(peers[0].connectionCount == 1 && pools.count == 1)
            clock.advance(by: .minutes(1))
            pools.closeIdle()
            #expect(pools.count == 0)
            let results = await Self.send(to: routes[0], by: pools)
            #expect(results.first?.response?.status == 200)
            #expect(peers[0].connectionCount == 2)
            await pools.shutdown()
        }
    }

    @Test("SEC-5: beyond the limit the longest idle service makes room")
    func bound() async throws {
        let clock = Clock()
        var limits = PoolLimits()
        limits.devicePools = 2
        let pools = Self.makePools(limits: limits, clock: clock)
        try await Self.withPeers(3, script: { [$0.answer()] }) { peers, routes in
            for number in [0, 1, 0, 2, 0, 1] {
                clock.advance(by: .seconds(1))
                let results = await Self.send(to: routes[number], by: pools)
                #expect(results.first?.response?.status == 200)
                #expect(pools.count <= 2)
            }
            // The second went for the third, and the third for the second.
            #expect(peers.map(\.connectionCount) == [1, 2, 1])
            await pools.shutdown()
        }
    }

    @Test("SEC-5: when all services are busy, a request to another returns with a reason, and later finds room")
    func allBusy() async throws {
        let held = Recorder<ScriptedPeer.Request>()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        var limits = PoolLimits()
        limits.devicePools = 1
        let pools = Self.makePools(limits: limits)
        try await Self.withPeers(
            2,
            script: { request in
                guard request[":path"] == "/held/0" else { return [request.answer()] }
                held.append(request)
                arrived.yield()
                return []
            },
            { peers, routes in
                let (responses, answered) = AsyncStream<PushResult>.makeStream()
                pools.send([.numbered(0, path: "/held/")], by: routes[0]) { _, result in answered.yield(result) }
                for await _ in arrivals.prefix(1) {}
                let rejected = await Self.send(2, to: routes[1], by: pools)
                #expect(
                    rejected.map(\.notProcessed) == [
                        "too many push services at once", "too many push services at once",
                    ])
                // The one that is busy takes more.
                let more = await Self.send(to: routes[0], by: pools)
                #expect(more.first?.response?.status == 200)
                let request = try #require(held.all.first)
                peers[0].perform([request.answer()], onConnection: 1)
                for await result in responses.prefix(1) { #expect(result.response?.status == 200) }
                let other = await Self.send(to: routes[1], by: pools)
                #expect(other.first?.response?.status == 200)
                await pools.shutdown()
            }
        )
    }

    @Test("FLEET-11: the connections, their streams and what waits are known for each push service")
    func use() async throws {
        let held = Recorder<ScriptedPeer.Request>()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        var settings = DeliverySettings.quick
        settings.streamsPerConnection = 2
        let pools = Self.makePools(settings: settings)
        #expect(await pools.use().isEmpty)
        try await Self.withPeers(
            1,
            script: { request in
                guard held.append(request) <= 2 else { return [request.answer()] }
                arrived.yield()
                return []
            },
            { peers, routes in
                let (responses, answered) = AsyncStream<PushResult>.makeStream()
                pools.send((0..<5).map { .numbered($0) }, by: routes[0]) { _, result in answered.yield(result) }
                for await _ in arrivals.prefix(2) {}
                // Two streams are taken until somebody answers; the others wait for them.
                #expect(await pools.use() == [.webpush: PushConnectionUse(connections: 1, streams: 2, waiting: 3)])
                for request in held.all { peers[0].perform([request.answer()], onConnection: 1) }
                for await result in responses.prefix(5) { #expect(result.response?.status == 200) }
                #expect(await pools.use() == [.webpush: PushConnectionUse(connections: 1)])
                await pools.shutdown()
            }
        )
    }

    @Test("SEC-5: an unresponsive service of a device is probed regularly, and delays no other meanwhile")
    func silentService() async throws {
        let clock = Clock()
        let pools = Self.makePools(clock: clock)
        let isMute = Mutex(true)
        try await Self.withPeers(
            1,
            script: { request in
                isMute.withLock { $0 } ? [.reset(stream: request.stream, code: .internalError)] : [request.answer()]
            },
            { peers, routes in
                let silent = "the push service did not respond; it is probed from time to time"
                let first = await Self.send(to: routes[0], by: pools)
                #expect(first.first?.unanswered != nil)
                #expect(await Self.send(2, to: routes[0], by: pools).map(\.notProcessed) == [silent, silent])
                isMute.withLock { $0 = false }
                clock.advance(by: .milliseconds(999))
                #expect(await Self.send(to: routes[0], by: pools).first?.notProcessed == silent)
                clock.advance(by: .milliseconds(1))
                for _ in 0..<2 {
                    #expect(await Self.send(to: routes[0], by: pools).first?.response?.status == 200)
                }
                #expect(peers[0].connectionCount == 1)
                await pools.shutdown()
            }
        )
    }

    private static func unknownHost(_ number: Int) throws -> PushRoute {
        PushRoute(
            sender: "web", provider: .webpush, endpoint: try PushEndpoint("https://push\(number).example.com"),
            trustRoots: [], isFromDevice: true, isAtUnknownHost: true
        )
    }

    @Test("SEC-5: an unknown host whose look-up never ends delays no service of a browser's maker")
    func slowNames() async throws {
        var limits = PoolLimits()
        // Nobody is there who could look.
        limits.unknownHostLookups = 0
        let pools = Self.makePools(limits: limits)
        let unknown = try Self.unknownHost(1)
        try await Self.withPeers(1, script: { [$0.answer()] }) { _, routes in
            let (responses, answered) = AsyncStream<PushResult>.makeStream()
            pools.send([.numbered(0)], by: unknown) { _, result in answered.yield(result) }
            #expect(await Self.send(to: routes[0], by: pools).first?.response?.status == 200)
            // Its look-up ends without an address.
            try await pools.unknownHostLookups.shutdownGracefully()
            for await result in responses.prefix(1) {
                let reason = "no connection: the host is unknown, unreachable or refuses connections"
                #expect(result.notProcessed == reason)
            }
            await pools.shutdown()
        }
    }

    @Test(
        "SEC-5: connections to unknown hosts that cannot close, for a look-up that hangs, take places of unknown hosts only"
    )
    func hangingNames() async throws {
        var limits = PoolLimits()
        limits.devicePools = 2
        limits.unknownHostPools = 1
        limits.unknownHostLookups = 0
        var settings = DeliverySettings.quick
        settings.requestTimeout = .milliseconds(20)
        let pools = Self.makePools(limits: limits, settings: settings)
        let unknown = try (0..<3).map { try Self.unknownHost($0) }
        let tooMany = "too many push services at once"
        try await Self.withPeers(1, script: { [$0.answer()] }) { _, routes in
            // The second takes the place of the first, which goes on to hang.
            for host in unknown.prefix(2) {
                let result = await Self.send(to: host, by: pools).first
                #expect(result?.notProcessed == "no stream was free before its deadline")
            }
            #expect(await Self.send(to: unknown[2], by: pools).first?.notProcessed == tooMany)
            // Its connection may take longer than the request waits; a place it has.
            #expect(await Self.send(to: routes[0], by: pools).first?.notProcessed != tooMany)
            #expect(pools.count == 2)
            try await pools.unknownHostLookups.shutdownGracefully()
            await pools.shutdown()
        }
    }

    @Test(
        "SEC-5: look-ups of unknown hosts that hang, open and closing, delay no first push to a service that has to answer"
    )
    func firstAnswer() async throws {
        var limits = PoolLimits()
        limits.unknownHostPools = 1
        limits.unknownHostLookups = 0
        var settings = DeliverySettings.quick
        settings.requestTimeout = .milliseconds(20)
        let hanging = Self.makePools(limits: limits, settings: settings)
        let waiting = Self.makePools(limits: limits)
        let unknown = try (0..<3).map { try Self.unknownHost($0) }
        let tooMany = "too many push services at once"
        try await Self.withPeers(1, script: { [$0.answer()] }) { _, routes in
            let edge = PushRoute(
                sender: "web", provider: .webpush, endpoint: routes[0].endpoint, trustRoots: routes[0].trustRoots,
                isFromDevice: true, isAtUnknownHost: true, isUnproven: true
            )
            let (responses, answered) = AsyncStream<PushResult>.makeStream()
            waiting.send([.numbered(0)], by: unknown[0]) { _, result in answered.yield(result) }
            #expect(await Self.send(to: edge, by: waiting).first?.response?.status == 200)
            try await waiting.unknownHostLookups.shutdownGracefully()
            for await result in responses.prefix(1) { #expect(result.notProcessed != nil) }
            await waiting.shutdown()

            // One place is taken by what hangs, one by what hangs while it closes.
            for host in unknown.prefix(2) { _ = await Self.send(to: host, by: hanging) }
            #expect(await Self.send(to: unknown[2], by: hanging).first?.notProcessed == tooMany)
            // Its connection may take longer than the request waits; a place it has.
            #expect(await Self.send(to: edge, by: hanging).first?.notProcessed != tooMany)
            try await hanging.unknownHostLookups.shutdownGracefully()
            await hanging.shutdown()
        }
    }

    @Test("PUSH-4: after the end nothing is sent, and invalid trust roots return requests")
    func rejected() async throws {
        let pools = Self.makePools()
        let endpoint = try PushEndpoint("https://127.0.0.1:9")
        let broken = PushRoute(
            sender: "", provider: .webpush, endpoint: endpoint, trustRoots: ["nonsense"], isFromDevice: false
        )
        let unusable = await Self.send(to: broken, by: pools)
        #expect(unusable.first?.notProcessed == "unusable trust roots")
        await pools.shutdown()
        let late = await Self.send(
            to: PushRoute(
                sender: "", provider: .webpush, endpoint: endpoint, trustRoots: [], isFromDevice: true
            ), by: pools
        )
        #expect(late.first?.notProcessed == "the server is shutting down")
        #expect(pools.count == 0)
    }

    @Test(
        "SEC-5: a device's host name that resolves to this machine gets no connection",
        arguments: ["localhost", "127.0.0.1", "[::1]"])
    func rebound(host: String) async throws {
        var settings = DeliverySettings.quick
        settings.allowsPrivateAddresses = false
        let pools = Self.makePools(settings: settings)
        try await Self.withPeers(1, script: { [$0.answer()] }) { peers, routes in
            let route = PushRoute(
                sender: "", provider: .webpush, endpoint: try PushEndpoint("https://\(host):\(peers[0].port)"),
                trustRoots: routes[0].trustRoots, isFromDevice: true
            )
            let result = await Self.send(to: route, by: pools).first
            #expect(result?.notProcessed == "the endpoint is on a private address")
            #expect(peers[0].connectionCount == 0)
            await pools.shutdown()
        }
    }
}
