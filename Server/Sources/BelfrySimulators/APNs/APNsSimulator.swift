import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A look-alike of Apple Push Notification service, to test what sends to it: real TLS and HTTP/2, Apple's checks and
/// answers, device tokens that it issues, faults by seed, and devices that get what was accepted.
///
/// It is written from Apple's documents and shares no code with any sender, so that a misreading on one side is not
/// repeated on the other.
///
/// ```swift
/// let simulator = try APNsSimulator(
///     eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
///     random: SimulatorRandom(seed: 1),
///     clock: { Date() },
///     logger: logger
/// )
/// let addresses = try await simulator.start()
/// try simulator.register(.init(teamID: "TEAM123456", keyID: "KEY1234567", publicKeyPEM: pem))
/// let token = simulator.issueToken(topic: "org.example.app", environment: .production)
/// for await notification in try simulator.notifications(for: token) { … }
/// ```
///
/// Either run it as a service, or call `start()` and at the end `shutdown()`.
public final class APNsSimulator: Service {
    /// Device tokens that can be issued over the control API.
    public static let deviceTokenLimit = 2_000_000

    /// The certificate authority that clients have to trust, in PEM.
    public let trustRootPEM: String

    let reception: APNsReception
    let eventLoopGroup: any EventLoopGroup
    private let configuration: Configuration
    private let tls: NIOSSLContext
    private let logger: Logger
    private let life = SimulatorLife<Addresses>()

    /// A simulator that does not listen yet. It makes its keys and certificates now.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: its own.
    ///   - random: gives ids and device tokens; with the same seed, the same ones.
    ///   - clock: the time of day, read for each request.
    ///   - logger: gets nothing above `debug`.
    public init(
        configuration: Configuration = Configuration(),
        certificates: SimulatorCertificates? = nil,
        eventLoopGroup: any EventLoopGroup,
        random: some RandomNumberGenerator & Sendable,
        clock: @escaping @Sendable () -> Date,
        logger: Logger
    ) throws {
        let names = configuration.serverNames + [configuration.host]
        let certificates = try certificates ?? SimulatorCertificates(names: names, now: clock())
        trustRootPEM = certificates.rootPEM
        tls = try certificates.serverContext(protocols: ["h2"])
        reception = APNsReception(configuration: configuration, random: RandomSource(random), clock: clock)
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
    }

    /// Begins to listen and says where. Again while it runs: says it again.
    ///
    /// Throws `notStartable` while another call starts it and once it is stopped, and what the system says if a port
    /// is taken.
    @discardableResult
    public func start() async throws -> Addresses {
        try await life.start(listen)
    }

    /// Starts if it is not started, runs until graceful shutdown or cancellation, and stops.
    public func run() async throws {
        try await run(start: { try await start() }, shutdown: shutdown)
    }

    /// Takes no more connections, lets the open ones end (GOAWAY, then what is in flight), and ends all streams of
    /// notifications. It cannot start again.
    public func shutdown() async {
        guard await life.shutdown(within: configuration.shutdownTimeout, on: eventLoopGroup.next()) else { return }
        reception.devices.disconnectAll()
    }
}

// MARK: Listening
extension APNsSimulator {
    private func listen() async throws -> SimulatorLife<Addresses>.Listeners {
        let production = try await listen(for: .production, port: configuration.productionPort)
        do {
            let sandbox = try await listen(for: .sandbox, port: configuration.sandboxPort)
            let addresses = Addresses(
                host: configuration.host,
                productionPort: production.localAddress?.port ?? configuration.productionPort,
                sandboxPort: sandbox.localAddress?.port ?? configuration.sandboxPort
            )
            return SimulatorLife.Listeners(addresses: addresses, channels: [production, sandbox])
        } catch {
            try? await production.close().get()
            throw error
        }
    }

    private func listen(for environment: Environment, port: Int) async throws -> any Channel {
        let reception = self.reception
        var streams = StreamLimits(configuration.maxConcurrentStreams)
        if configuration.beginsWithOneStream { streams.first = 1 }
        let listener = SimulatorPort(
            host: configuration.host,
            port: port,
            tls: tls,
            streams: streams,
            speaksHTTP1: false,
            connections: life.connections,
            logger: logger,
            service: { APNsService(environment, reception) }
        )
        return try await listener.listen(on: eventLoopGroup)
    }
}

extension APNsSimulator {
    /// Which of Apple's two services an endpoint and a device token belong to.
    public typealias Environment = APNsEnvironment
    /// The public half of a provider's signing key (`.p8`), as Apple keeps it.
    public typealias ProviderKey = APNsProviderKey
    /// What `apns-push-type` may say.
    public typealias PushType = APNsPushType
    /// What `reason` says in the JSON of a refusal.
    public typealias Reason = APNsReason
    /// What the push service thinks of a device token that it issued.
    public typealias TokenState = APNsTokenState

    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host of both services.
        public let host: String
        /// The port of the production service.
        public let productionPort: Int
        /// The port of the sandbox.
        public let sandboxPort: Int

        /// The base URL of one service, without a path.
        public func url(of environment: Environment) -> String {
            let name = host.contains(":") ? "[\(host)]" : host
            return switch environment {
            case .production: "https://\(name):\(productionPort)"
            case .sandbox: "https://\(name):\(sandboxPort)"
            }
        }
    }
}
