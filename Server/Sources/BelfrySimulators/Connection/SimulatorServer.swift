import Foundation
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The settings with which a simulator listens.
struct SimulatorSetup: Sendable {
    var host: String
    /// The names in its own certificate.
    var names: [String]
    /// The protocols that a client may negotiate (ALPN, RFC 7301).
    var protocols: [String]
    var streams: StreamLimits
    /// How long connections may take to end.
    var shutdownTimeout: Duration
}

/// The TLS ports of a simulator and their life cycle: idle, listening, stopped.
public final class SimulatorServer<Addresses: Sendable>: Sendable {
    struct Listeners: Sendable {
        var addresses: Addresses
        var channels: [any Channel]
    }

    private enum Phase: Sendable {
        case idle
        case starting
        case running(Listeners)
        case stopped
    }

    let trustRootPEM: String
    let eventLoopGroup: any EventLoopGroup
    private let setup: SimulatorSetup
    private let tls: NIOSSLContext
    private let logger: Logger
    private let opening: @Sendable (SimulatorServer<Addresses>) async throws -> Listeners
    private let closed: @Sendable () -> Void
    private let connections = ConnectionList()
    private let phase = Mutex(Phase.idle)

    /// - Parameters:
    ///   - certificates: nil: new ones are created.
    ///   - open: opens the ports with ``listen(on:service:)``.
    ///   - closed: called when all connections have ended.
    init(
        _ setup: SimulatorSetup,
        certificates: SimulatorCertificates?,
        now: Date,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger,
        open: @escaping @Sendable (SimulatorServer<Addresses>) async throws -> Listeners,
        closed: @escaping @Sendable () -> Void
    ) throws {
        let certificates = try certificates ?? SimulatorCertificates(names: setup.names, now: now)
        trustRootPEM = certificates.rootPEM
        tls = try certificates.serverContext(protocols: setup.protocols)
        self.setup = setup
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        opening = open
        self.closed = closed
    }

    /// The addresses while it listens; otherwise nil.
    var addresses: Addresses? {
        phase.withLock { phase in
            guard case .running(let listeners) = phase else { return nil }
            return listeners.addresses
        }
    }

    /// Opens one port.
    ///
    /// - Parameter service: creates the service behind each connection.
    func listen<Service: ConnectionService>(
        on port: Int, service: @escaping @Sendable () -> Service
    ) async throws -> any Channel {
        let listener = SimulatorPort(
            host: setup.host,
            port: port,
            tls: tls,
            streams: setup.streams,
            speaksHTTP1: setup.protocols.contains("http/1.1"),
            connections: connections,
            logger: logger,
            service: service
        )
        return try await listener.listen(on: eventLoopGroup)
    }

    /// Opens one port without TLS.
    ///
    /// - Parameter initialise: prepares each connection.
    func listenWithoutTLS(
        on port: Int, initialise: @escaping @Sendable (any Channel, Logger) throws -> Void
    ) async throws -> any Channel {
        let (connections, logger) = (connections, logger)
        return try await ServerBootstrap(group: eventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.hold(channel)
                return channel.eventLoop.makeCompletedFuture { try initialise(channel, logger) }
            }
            .bind(host: setup.host, port: port)
            .get()
    }

    /// Starts to listen and returns the addresses. If it runs already, it only returns them.
    func start() async throws -> Addresses {
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
            let listeners = try await opening(self)
            phase.withLock { $0 = .running(listeners) }
            return listeners.addresses
        } catch {
            phase.withLock { $0 = .idle }
            throw error
        }
    }

    /// Accepts no more connections and lets the open ones end.
    func shutdown() async {
        let listeners: Listeners? = phase.withLock { phase in
            guard case .running(let listeners) = phase else { return nil }
            phase = .stopped
            return listeners
        }
        guard let listeners else { return }
        for channel in listeners.channels {
            // An error means that the listener is already closed.
            try? await channel.close().get()
        }
        await connections.end(within: setup.shutdownTimeout, on: eventLoopGroup.next())
        closed()
    }
}
