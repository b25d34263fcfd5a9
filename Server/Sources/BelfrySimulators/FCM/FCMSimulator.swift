import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A look-alike of Firebase Cloud Messaging (HTTP v1) and of the OAuth 2 token endpoint that it needs, to test what
/// sends to it: real TLS with HTTP/2 and HTTP/1.1, Google's checks and answers, registration tokens that it issues,
/// quotas, faults by seed, and devices that get what was accepted.
///
/// It is written from Google's documents and shares no code with any sender, so that a misreading on one side is not
/// repeated on the other.
///
/// ```swift
/// let simulator = try FCMSimulator(
///     eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
///     random: SimulatorRandom(seed: 1),
///     clock: { Date() },
///     logger: logger
/// )
/// let addresses = try await simulator.start()
/// let file = try simulator.makeServiceAccount(projectID: "example")
/// let token = try simulator.issueToken(projectID: "example")
/// for await message in try simulator.messages(for: token) { … }
/// ```
///
/// Topics, conditions and device groups are not simulated. Either run it as a service, or call `start()` and at the end
/// `shutdown()`.
public final class FCMSimulator: Service {
    /// Registration tokens that can be issued over the control API.
    public static let deviceTokenLimit = 2_000_000

    /// The certificate authority that clients have to trust, in PEM.
    public let trustRootPEM: String

    let reception: FCMReception
    let eventLoopGroup: any EventLoopGroup
    private let configuration: Configuration
    private let tls: NIOSSLContext
    private let logger: Logger
    private let life = SimulatorLife<Addresses>()

    /// A simulator that does not listen yet. It makes its keys and certificates now.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: its own.
    ///   - random: gives ids and tokens; with the same seed, the same ones.
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
        let hosts = [configuration.host, configuration.publicHost ?? configuration.host]
        let certificates =
            try certificates ?? SimulatorCertificates(names: configuration.serverNames + hosts, now: clock())
        trustRootPEM = certificates.rootPEM
        tls = try certificates.serverContext(protocols: ["h2", "http/1.1"])
        reception = FCMReception(configuration: configuration, random: RandomSource(random), clock: clock)
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
    }

    /// Where it listens, while it does.
    public var addresses: Addresses? { life.addresses }

    /// Begins to listen and says where. Again while it runs: says it again.
    ///
    /// Throws `notStartable` while another call starts it and once it is stopped, and what the system says if the port
    /// is taken.
    @discardableResult
    public func start() async throws -> Addresses {
        try await life.start(listen)
    }

    /// Starts if it is not started, runs until graceful shutdown or cancellation, and stops.
    public func run() async throws {
        try await run(start: { try await start() }, shutdown: shutdown)
    }

    /// Takes no more connections, lets the open ones end, and ends all streams of messages. It cannot start again.
    public func shutdown() async {
        guard await life.shutdown(within: configuration.shutdownTimeout, on: eventLoopGroup.next()) else { return }
        reception.devices.disconnectAll()
    }

    private func listen() async throws -> SimulatorLife<Addresses>.Listeners {
        let reception = self.reception
        let life = self.life
        let listener = SimulatorPort(
            host: configuration.host,
            port: configuration.port,
            tls: tls,
            streams: StreamLimits(configuration.maxConcurrentStreams),
            speaksHTTP1: true,
            connections: life.connections,
            logger: logger,
            service: { FCMService(reception: reception, addresses: { life.addresses }) }
        )
        let channel = try await listener.listen(on: eventLoopGroup)
        let port = channel.localAddress?.port ?? configuration.port
        let url = SimulatorAddress.origin(host: configuration.publicHost ?? configuration.host, port: port)
        let addresses = Addresses(host: configuration.host, port: port, url: url)
        return SimulatorLife.Listeners(addresses: addresses, channels: [channel])
    }
}

extension FCMSimulator {
    /// Which error a refusal names.
    public typealias ErrorCode = FCMErrorCode
    /// The public half of a service account's key, as Google keeps it.
    public typealias ServiceAccount = FCMServiceAccount
    /// What the push service thinks of a registration token that it issued.
    public typealias TokenState = FCMTokenState

    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// The port of everything: messages and access tokens.
        public let port: Int
        /// The base URL, without a path: what stands for `https://fcm.googleapis.com`.
        public let url: String

        /// What stands for `https://oauth2.googleapis.com/token`; service accounts name it, and assertions are for it.
        public var tokenURI: String { url + FCMTokenEndpoint.path }
    }
}
