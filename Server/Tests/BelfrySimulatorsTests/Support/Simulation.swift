import AsyncHTTPClient
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// A running simulator, a provider that it knows, and a client that shares no code with either.
struct Simulation {
    static let topic = "org.example.app"

    let simulator: APNsSimulator
    let addresses: APNsSimulator.Addresses
    let clock: ManualClock
    let provider: TestAPNsProvider
    /// The provider token that a push carries unless it brings its own.
    let authorization: String
    let client: HTTPClient

    /// Starts everything, runs the story, and ends everything.
    static func run(
        _ configuration: APNsSimulator.Configuration = APNsSimulator.Configuration(),
        _ story: (Simulation) async throws -> Void
    ) async throws {
        // Certificates are checked by the client's clock, which is the real one.
        let clock = ManualClock(Date())
        let simulator = try APNsSimulator(
            configuration: configuration,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            random: SimulatorRandom(seed: 1),
            clock: { clock.now },
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let addresses = try await simulator.start()
        let provider = try TestAPNsProvider()
        let key = try provider.publicKey()
        try simulator.register(key)
        let token = try provider.token(issuedAt: clock.now)
        let client = try makeClient(trusting: simulator.trustRootPEM)
        let simulation = Simulation(
            simulator: simulator,
            addresses: addresses,
            clock: clock,
            provider: provider,
            authorization: "bearer " + token,
            client: client
        )
        do {
            try await story(simulation)
        } catch {
            try await simulation.end()
            throw error
        }
        try await simulation.end()
    }

    /// Sends one push; nil as a field's value takes the field away.
    func push(
        to token: String,
        _ environment: APNsSimulator.Environment = .production,
        fields: [String: String?] = [:],
        body: String = #"{"aps":{"alert":"hello"}}"#
    ) async throws -> PushServiceResponse {
        var request = HTTPClientRequest(url: addresses.url(of: environment) + "/3/device/" + token)
        request.method = .POST
        var all: [String: String?] = [
            "authorization": authorization, "apns-topic": Self.topic, "apns-push-type": "alert",
        ]
        all.merge(fields) { _, new in new }
        for (name, value) in all {
            if let value { request.headers.add(name: name, value: value) }
        }
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await client.execute(request, timeout: .minutes(5))
        let content = try await response.body.collect(upTo: 4_096)
        return PushServiceResponse(
            status: Int(response.status.code),
            isHTTP2: response.version == .http2,
            apnsID: response.headers.first(name: "apns-id"),
            uniqueID: response.headers.first(name: "apns-unique-id"),
            body: String(buffer: content)
        )
    }

    private func end() async throws {
        try await client.shutdown()
        await simulator.shutdown()
    }

    private static func makeClient(trusting rootPEM: String) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(rootPEM.utf8), format: .pem)])
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        configuration.httpVersion = .automatic
        // A busy machine answers late, and ten seconds, the library's, is a bound on time. A dead server refuses at once.
        configuration.timeout.connect = .minutes(5)
        return HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: configuration
        )
    }
}

/// What came back for one push.
struct PushServiceResponse: Equatable {
    var status: Int
    var isHTTP2: Bool
    var apnsID: String?
    var uniqueID: String?
    var body: String

    /// The JSON of a refusal.
    struct Rejection: Decodable, Equatable {
        var reason: String
        var timestamp: Int64?
    }

    var rejection: Rejection? {
        try? JSONDecoder().decode(Rejection.self, from: Data(body.utf8))
    }
}
