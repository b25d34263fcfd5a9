import Foundation
import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

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

    private enum Phase: Sendable {
        case idle
        case starting
        case running(Listeners)
        case stopped
    }

    private struct Listeners: Sendable {
        var addresses: Addresses
        var channels: [any Channel]
    }

    /// The certificate authority that clients have to trust, in PEM. A new one with each simulator.
    public let trustRootPEM: String

    let reception: APNsReception
    let eventLoopGroup: any EventLoopGroup
    private let configuration: Configuration
    private let tls: NIOSSLContext
    private let logger: Logger
    private let connections = ConnectionList()
    private let phase = Mutex(Phase.idle)

    /// A simulator that does not listen yet. It makes its keys and certificates now.
    ///
    /// - Parameters:
    ///   - random: gives ids and device tokens; with the same seed, the same ones.
    ///   - clock: the time of day, read for each request.
    ///   - logger: gets nothing above `debug`.
    public init(
        configuration: Configuration = Configuration(),
        eventLoopGroup: any EventLoopGroup,
        random: some RandomNumberGenerator & Sendable,
        clock: @escaping @Sendable () -> Date,
        logger: Logger
    ) throws {
        let otherNames = configuration.serverNames.filter { $0 != configuration.host }
        let certificates = try SimulatorCertificates(names: otherNames + [configuration.host], now: clock())
        trustRootPEM = certificates.rootPEM
        tls = try certificates.serverContext()
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
        let running: Addresses? = try phase.withLock { phase in
            switch phase {
            case .idle:
                phase = .starting
                return nil
            case .running(let listeners):
                return listeners.addresses
            case .starting, .stopped:
                throw SimulatorError(.notStartable, field: "start", "it is starting already, or stopped")
            }
        }
        if let running { return running }
        do {
            let listeners = try await listen()
            phase.withLock { $0 = .running(listeners) }
            return listeners.addresses
        } catch {
            phase.withLock { $0 = .idle }
            throw error
        }
    }

    /// Starts if it is not started, runs until graceful shutdown or cancellation, and stops.
    public func run() async throws {
        try await start()
        do {
            try await gracefulShutdown()
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }

    /// Takes no more connections, lets the open ones end (GOAWAY, then what is in flight), and ends all streams of
    /// notifications. It cannot start again.
    public func shutdown() async {
        let listeners: Listeners? = phase.withLock { phase in
            guard case .running(let listeners) = phase else { return nil }
            phase = .stopped
            return listeners
        }
        guard let listeners else { return }
        for channel in listeners.channels {
            // A listener that is closed already is closed.
            try? await channel.close().get()
        }
        await connections.end(within: configuration.shutdownTimeout, on: eventLoopGroup.next())
        reception.devices.disconnectAll()
    }
}

// MARK: Listening
extension APNsSimulator {
    private func listen() async throws -> Listeners {
        let production = try await listen(for: .production, port: configuration.productionPort)
        do {
            let sandbox = try await listen(for: .sandbox, port: configuration.sandboxPort)
            let addresses = Addresses(
                host: configuration.host,
                productionPort: production.localAddress?.port ?? configuration.productionPort,
                sandboxPort: sandbox.localAddress?.port ?? configuration.sandboxPort
            )
            return Listeners(addresses: addresses, channels: [production, sandbox])
        } catch {
            try? await production.close().get()
            throw error
        }
    }

    private func listen(for environment: Environment, port: Int) async throws -> any Channel {
        let streams = max(configuration.maxConcurrentStreams, 1)
        let settings = APNsConnection.Settings(
            environment: environment,
            maxConcurrentStreams: streams,
            firstConcurrentStreams: configuration.beginsWithOneStream ? 1 : streams
        )
        let tls = self.tls
        let reception = self.reception
        let logger = self.logger
        let connections = self.connections
        return try await ServerBootstrap(group: eventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.hold(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    try pipeline.addHandler(Self.framing(settings))
                    try pipeline.addHandler(APNsConnection(settings, reception, logger))
                }
            }
            .bind(host: configuration.host, port: port)
            .get()
    }

    private static func framing(_ settings: APNsConnection.Settings) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = nioDefaultSettings.filter { $0.parameter != .maxConcurrentStreams }
        connection.initialSettings.append(
            HTTP2Setting(parameter: .maxConcurrentStreams, value: settings.firstConcurrentStreams)
        )
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A sender that gives up on slow answers resets many streams at once; that is no attack here.
        stream.streamResetFrameRateLimit.maximumCount = 2_000
        return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
    }
}
