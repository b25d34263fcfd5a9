import AsyncHTTPClient
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Logging
import NIOPosix

/// A running simulator of web push, an application server, and a client that shares no code with either.
struct WebPushSimulation {
    let simulator: WebPushSimulator
    let addresses: WebPushSimulator.Addresses
    let clock: ManualClock
    let server: TestApplicationServer
    let client: HTTPClient

    /// Starts everything, runs the story, and ends everything.
    static func run(
        _ configuration: WebPushSimulator.Configuration = WebPushSimulator.Configuration(),
        _ story: (WebPushSimulation) async throws -> Void
    ) async throws {
        // Certificates are checked by the client's clock, which is the real one.
        let clock = ManualClock(Date())
        let simulator = try WebPushSimulator(
            configuration: configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            random: SimulatorRandom(seed: 1),
            clock: { clock.now },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let addresses = try await simulator.start()
        let client = try HTTPClient.trusting(simulator.trustRootPEM)
        do {
            let simulation = WebPushSimulation(
                simulator: simulator,
                addresses: addresses,
                clock: clock,
                server: try TestApplicationServer(),
                client: client
            )
            try await story(simulation)
        } catch {
            try await client.shutdown()
            await simulator.shutdown()
            throw error
        }
        try await client.shutdown()
        await simulator.shutdown()
    }

    func subscribe() throws -> WebPushSimulator.Subscription {
        try simulator.subscribe(applicationServerKey: server.applicationServerKey)
    }

    func authorization(_ server: TestApplicationServer? = nil, life: TimeInterval = 3_600) throws -> String {
        try (server ?? self.server).authorization(
            audience: addresses.origin,
            expiresAt: clock.now.addingTimeInterval(life)
        )
    }

    /// Sends one push that is good but for `fields`; nil as a field's value takes the field away.
    func push(
        to subscription: WebPushSimulator.Subscription,
        _ text: String = "hello",
        fields: [String: String?] = [:]
    ) async throws -> ReceivedResponse {
        let body = try server.encrypt(Array(text.utf8), for: subscription)
        return try await post(body, to: subscription, fields: fields)
    }

    func post(
        _ body: [UInt8],
        to subscription: WebPushSimulator.Subscription,
        fields: [String: String?] = [:]
    ) async throws -> ReceivedResponse {
        var all: [String: String?] = [
            "authorization": try authorization(), "ttl": "60", "content-encoding": "aes128gcm",
        ]
        all.merge(fields) { _, new in new }
        return try await client.call("POST", subscription.endpoint, fields: all, body: body)
    }
}

extension ReceivedResponse {
    /// What a refusal of the web push simulator says.
    var reason: String? {
        (try? json([String: String].self))?["reason"]
    }
}
