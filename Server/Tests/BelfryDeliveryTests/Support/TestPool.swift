import BelfryDelivery
import BelfryPush
import BelfryServerTestSupport
import Logging
import NIOCore
import NIOPosix

extension DeliverySettings {
    /// One connection, and times that suit a machine of one's own, however busy it is: those tests that are about a
    /// limit of time set it themselves.
    static var quick: DeliverySettings {
        var settings = DeliverySettings()
        settings.connections = 1
        settings.allowsPrivateAddresses = true
        settings.sweepInterval = .milliseconds(5)
        settings.reconnectDelay = .milliseconds(1)
        settings.shutdownGrace = .seconds(5)
        settings.connectTimeout = .minutes(5)
        settings.requestTimeout = .minutes(5)
        settings.pingAfterSilence = .minutes(5)
        settings.pingTimeout = .minutes(5)
        return settings
    }
}

func makePool(
    port: Int,
    trust: DeliveryTrust,
    settings: DeliverySettings = .quick
) throws -> PushConnectionPool {
    try PushConnectionPool(
        endpoint: PushEndpoint("https://127.0.0.1:\(port)"),
        trust: trust,
        settings: settings,
        lookups: .singleton,
        eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
        jitter: { 0.5 },
        logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    )
}

/// Runs a peer and a pool that trusts it, and ends both.
func withPool(
    settings: DeliverySettings = .quick,
    maxConcurrentStreams: Int = 1_000,
    script: @escaping ScriptedPeer.Script,
    _ body: (PushConnectionPool, ScriptedPeer) async throws -> Void
) async throws {
    let certificate = try TestCertificate.good()
    let peer = try await ScriptedPeer.start(
        certificate: certificate, maxConcurrentStreams: maxConcurrentStreams, script: script)
    let pool = try makePool(port: peer.port, trust: .roots([certificate.pem]), settings: settings)
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(pool, peer))
    } catch {
        outcome = .failure(error)
    }
    await pool.shutdown()
    await peer.stop()
    try outcome.get()
}

extension PushRequest {
    private static let common = CommonHeaders([
        HeaderField("authorization", "bearer aaaa.bbbb.cccc"),
        HeaderField("apns-topic", "com.example.app"),
    ])

    static func numbered(_ number: Int, path: String = "/3/device/") -> PushRequest {
        PushRequest(
            path: "\(path)\(number)",
            common: common,
            fields: [HeaderField("apns-id", "id-\(number)"), HeaderField("apns-collapse-id", "campaign")],
            body: Array("{\"number\":\(number)}".utf8)
        )
    }
}

extension PushResult {
    var response: PushResponse? {
        if case .answered(let response) = self { response } else { nil }
    }

    var notProcessed: String? {
        if case .notProcessed(let reason) = self { reason } else { nil }
    }

    var unanswered: String? {
        if case .unanswered(let reason) = self { reason } else { nil }
    }
}
