import BelfryAPI
import BelfrySimulators
import Crypto
import Foundation
import Logging
import NIOPosix

/// A simulated APNs of a test's own, over real TLS and HTTP/2, that knows one signing key.
struct PushService: Sendable {
    static let topic = "org.example.shop"
    private static let teamID = "TEAM123456"
    private static let keyID = "KEY1234567"

    let simulator: APNsSimulator
    let addresses: APNsSimulator.Addresses
    private let key: P256.Signing.PrivateKey

    fileprivate init(
        _ configuration: APNsSimulator.Configuration, clock: @escaping @Sendable () -> Date
    ) async throws {
        key = P256.Signing.PrivateKey()
        simulator = try APNsSimulator(
            configuration: configuration, eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            random: SimulatorRandom(seed: 1), clock: clock,
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        )
        addresses = try await simulator.start()
        try simulator.register(
            .init(teamID: Self.teamID, keyID: Self.keyID, publicKeyPEM: key.publicKey.pemRepresentation)
        )
    }

    var credentials: APNsCredentialsRequest { credentials(key) }

    /// Well formed, but the service has never seen the key.
    var wrongCredentials: APNsCredentialsRequest { credentials(P256.Signing.PrivateKey()) }

    private func credentials(_ key: P256.Signing.PrivateKey) -> APNsCredentialsRequest {
        APNsCredentialsRequest(
            teamId: Self.teamID, keyId: Self.keyID, topic: Self.topic, privateKey: key.pemRepresentation,
            endpoint: addresses.url(of: .production), sandboxEndpoint: addresses.url(of: .sandbox),
            trustRoots: simulator.trustRootPEM
        )
    }

    /// The device tokens that took at least one push.
    var reached: Set<String> { Set(simulator.history.map(\.token)) }
}

/// Runs a push service, and ends it however the body ends.
///
/// - Parameters:
///   - streams: how many requests a connection takes at once.
///   - answerAfter: how late each response is, so that a campaign lasts.
///   - faults: what goes wrong; it says itself how late responses are.
///   - isByAnyClock: whether a provider may make tokens as often as its clock says, which a test sets back and ahead.
///   - clock: another one than the machine's.
func withPushService(
    streams: Int = 1_000, answerAfter: Duration = .zero, faults: FaultPlan = .none,
    isByAnyClock: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    _ body: (PushService) async throws -> Void
) async throws {
    var configuration = APNsSimulator.Configuration()
    configuration.maxConcurrentStreams = streams
    configuration.keepsHistory = 1_000_000
    configuration.faults = faults
    if isByAnyClock { configuration.providerTokenUpdateInterval = nil }
    if answerAfter > .zero {
        configuration.faults = try FaultPlan(seed: 1, rates: [.slowAnswer: 1], slowAnswer: answerAfter)
    }
    let service = try await PushService(configuration, clock: clock)
    let outcome: Result<Void, any Error>
    do {
        outcome = .success(try await body(service))
    } catch {
        outcome = .failure(error)
    }
    await service.simulator.shutdown()
    try outcome.get()
}
