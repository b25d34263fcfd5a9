import Foundation
import Logging
import NIOCore

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
public final class APNsSimulator: PushSimulator {
    /// The maximum number of device tokens that the control API issues.
    public static let deviceTokenLimit = 2_000_000

    /// The server with the simulator's ports.
    public let server: SimulatorServer<Addresses>

    let reception: APNsReception

    /// A simulator that does not listen yet. It creates its keys and certificates immediately.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: new ones.
    ///   - random: the source of ids and device tokens; the same seed gives the same ones.
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
        let reception = APNsReception(configuration: configuration, random: RandomSource(random), clock: clock)
        var streams = StreamLimits(configuration.maxConcurrentStreams)
        if configuration.beginsWithOneStream { streams.first = 1 }
        let setup = SimulatorSetup(
            host: configuration.host,
            names: configuration.serverNames + [configuration.host],
            protocols: ["h2"],
            streams: streams,
            shutdownTimeout: configuration.shutdownTimeout
        )
        self.reception = reception
        server = try SimulatorServer<Addresses>(
            setup, certificates: certificates, now: clock(), eventLoopGroup: eventLoopGroup, logger: logger,
            open: { try await APNsSimulator.listen(on: $0, configuration, reception) },
            closed: { reception.devices.disconnectAll() }
        )
    }

    private static func listen(
        on server: SimulatorServer<Addresses>, _ configuration: Configuration, _ reception: APNsReception
    ) async throws -> SimulatorServer<Addresses>.Listeners {
        let production = try await server.listen(on: configuration.productionPort) {
            APNsService(.production, reception)
        }
        do {
            let sandbox = try await server.listen(on: configuration.sandboxPort) { APNsService(.sandbox, reception) }
            let addresses = Addresses(
                host: configuration.host,
                productionPort: production.localAddress?.port ?? configuration.productionPort,
                sandboxPort: sandbox.localAddress?.port ?? configuration.sandboxPort
            )
            return SimulatorServer<Addresses>.Listeners(addresses: addresses, channels: [production, sandbox])
        } catch {
            try? await production.close().get()
            throw error
        }
    }
}

extension APNsSimulator {
    /// The one of Apple's two services to which an endpoint and a device token belong.
    public typealias Environment = APNsEnvironment
    /// The public half of a provider's signing key (`.p8`), as Apple stores it.
    public typealias ProviderKey = APNsProviderKey
    /// The values of `apns-push-type`.
    public typealias PushType = APNsPushType
    /// The values of `reason` in the JSON of an error response.
    public typealias Reason = APNsReason
    /// The state of a device token in the push service.
    public typealias TokenState = APNsTokenState

    /// The addresses of a running simulator.
    public struct Addresses: Sendable, Equatable {
        /// The host of both services.
        public let host: String
        /// The port of the production service.
        public let productionPort: Int
        /// The port of the sandbox.
        public let sandboxPort: Int

        /// The base URL of one service, without a path.
        public func url(of environment: Environment) -> String {
            let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            return switch environment {
            case .production: "https://\(name):\(productionPort)"
            case .sandbox: "https://\(name):\(sandboxPort)"
            }
        }
    }
}
