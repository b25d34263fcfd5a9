import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A look-alike of a browser maker's push service (RFC 8030) and of the browsers behind it, to test what sends to it:
/// real TLS with HTTP/2 and HTTP/1.1, VAPID (RFC 8292), subscriptions that it makes, quotas, faults by seed, and
/// browsers that open (RFC 8291) what was accepted.
///
/// It is written from the RFCs and shares no code with any sender, so that a misreading on one side is not repeated on
/// the other.
///
/// ```swift
/// let simulator = try WebPushSimulator(
///     eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
///     random: SimulatorRandom(seed: 1),
///     clock: { Date() },
///     logger: logger
/// )
/// try await simulator.start()
/// let subscription = try simulator.subscribe(applicationServerKey: key)
/// for await push in try simulator.pushes(for: subscription.id) { … }
/// ```
///
/// Receipts, and the reading of messages over HTTP, are not simulated. Either run it as a service, or call `start()`
/// and at the end `shutdown()`.
public final class WebPushSimulator: Service {
    /// Subscriptions that can be made over the control API.
    public static let subscriptionLimit = 2_000_000

    /// The certificate authority that clients have to trust, in PEM.
    public let trustRootPEM: String

    let reception: WebPushReception
    let eventLoopGroup: any EventLoopGroup
    private let configuration: Configuration
    private let tls: NIOSSLContext
    private let logger: Logger
    private let life = SimulatorLife<Addresses>()

    /// A simulator that does not listen yet. It makes its keys and certificates now.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: its own.
    ///   - random: gives ids, tokens and browsers' keys; with the same seed, the same ones.
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
        reception = WebPushReception(configuration: configuration, random: RandomSource(random), clock: clock)
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

    /// Takes no more connections, lets the open ones end, and ends all streams of pushes. It cannot start again.
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
            service: { WebPushService(reception: reception, addresses: { life.addresses }) }
        )
        let channel = try await listener.listen(on: eventLoopGroup)
        let port = channel.localAddress?.port ?? configuration.port
        let origin = SimulatorAddress.origin(host: configuration.publicHost ?? configuration.host, port: port)
        let addresses = Addresses(host: configuration.host, port: port, origin: origin)
        return SimulatorLife.Listeners(addresses: addresses, channels: [channel])
    }
}

extension WebPushSimulator {
    /// What a browser finds in the body of a push.
    public typealias Payload = WebPushPayload
    /// Why a push is refused, as the answer's JSON says in `reason`.
    public typealias Reason = WebPushReason
    /// What the push service thinks of a subscription that it made.
    public typealias SubscriptionState = WebPushSubscriptionState
    /// Why a browser cannot read a push.
    public typealias Unreadable = WebPushUnreadable
    /// How urgent a push is.
    public typealias Urgency = WebPushUrgency

    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// Its port.
        public let port: Int
        /// The origin of its endpoints, which a VAPID token is for.
        public let origin: String
    }
}
