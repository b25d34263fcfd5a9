import Foundation
import Logging
import NIOCore

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
/// Devices subscribe to topics by Google's API (`topicSubscriptions`), and messages may name a topic or a condition.
/// Device groups are not simulated.
public final class FCMSimulator: PushSimulator {
    /// The maximum number of registration tokens that the control API issues.
    public static let deviceTokenLimit = 2_000_000

    /// The server with the simulator's ports.
    public let server: SimulatorServer<Addresses>

    let reception: FCMReception

    /// A simulator that does not listen yet. It creates its keys and certificates immediately.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: new ones.
    ///   - random: the source of ids and tokens; the same seed gives the same ones.
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
        let reception = FCMReception(configuration: configuration, random: RandomSource(random), clock: clock)
        let publicHost = configuration.publicHost ?? configuration.host
        let setup = SimulatorSetup(
            host: configuration.host,
            names: configuration.serverNames + [configuration.host, publicHost],
            protocols: ["h2", "http/1.1"],
            streams: StreamLimits(configuration.maxConcurrentStreams),
            shutdownTimeout: configuration.shutdownTimeout
        )
        self.reception = reception
        server = try SimulatorServer<Addresses>(
            setup, certificates: certificates, now: clock(), eventLoopGroup: eventLoopGroup, logger: logger,
            open: { server in
                let channel = try await server.listen(on: configuration.port) {
                    FCMService(reception: reception, addresses: { server.addresses })
                }
                let port = channel.localAddress?.port ?? configuration.port
                let url = SimulatorAddress.origin(host: publicHost, port: port)
                let addresses = Addresses(host: configuration.host, port: port, url: url)
                return SimulatorServer<Addresses>.Listeners(addresses: addresses, channels: [channel])
            },
            closed: { reception.devices.disconnectAll() }
        )
    }
}

extension FCMSimulator {
    /// The error code of an error response.
    public typealias ErrorCode = FCMErrorCode
    /// The public half of a service account's key, as Google stores it.
    public typealias ServiceAccount = FCMServiceAccount
    /// The state of a registration token in the push service.
    public typealias TokenState = FCMTokenState

    /// The addresses of a running simulator.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// The port for messages and access tokens.
        public let port: Int
        /// The base URL, without a path, in place of `https://fcm.googleapis.com`.
        public let url: String

        /// The address in place of `https://oauth2.googleapis.com/token`, as service accounts and assertions name it.
        public var tokenURI: String { url + FCMTokenEndpoint.path }
    }
}
