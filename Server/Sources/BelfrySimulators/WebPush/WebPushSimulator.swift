import Foundation
import Logging
import NIOCore

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
/// With a port for browsers, it speaks Mozilla's push protocol over WebSockets, too: a real Firefox whose
/// `dom.push.serverURL` names it subscribes here and gets what was accepted, as it was encrypted.
///
/// Receipts, and the reading of messages over HTTP, are not simulated.
public final class WebPushSimulator: PushSimulator {
    /// The maximum number of subscriptions that the control API creates.
    public static let subscriptionLimit = WebPushReception.subscriptionLimit

    /// The server with the simulator's ports.
    public let server: SimulatorServer<Addresses>

    let reception: WebPushReception

    /// A simulator that does not listen yet. It creates its keys and certificates immediately.
    ///
    /// - Parameters:
    ///   - certificates: those of other simulators, so that clients trust one authority for all; nil: new ones.
    ///   - random: the source of ids, tokens and browsers' keys; the same seed gives the same ones.
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
        let reception = WebPushReception(configuration, random: RandomSource(random), clock: clock)
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
                    WebPushService(reception: reception, origin: { server.addresses?.origin })
                }
                let port = channel.localAddress?.port ?? configuration.port
                let origin = SimulatorAddress.origin(host: publicHost, port: port)
                var addresses = Addresses(host: configuration.host, port: port, origin: origin)
                guard let browserPort = configuration.browserPort else {
                    return SimulatorServer<Addresses>.Listeners(addresses: addresses, channels: [channel])
                }
                let rule = RequestOriginRule(host: configuration.host, publicHost: publicHost)
                let browsers = try await server.listenWithoutTLS(on: browserPort) { channel, logger in
                    let service = BrowserService(
                        reception: reception, browsers: reception.browsers, origin: { server.addresses?.origin })
                    try BrowserPort.initialise(channel, service, rule, logger)
                }
                addresses.browserPort = browsers.localAddress?.port ?? browserPort
                return SimulatorServer<Addresses>.Listeners(addresses: addresses, channels: [channel, browsers])
            },
            closed: { reception.devices.disconnectAll() }
        )
    }
}

extension WebPushSimulator {
    /// The content of a push's body.
    public typealias Payload = WebPushPayload
    /// The reason of a rejection, as `reason` in the JSON of the response.
    public typealias Reason = WebPushReason
    /// The state of a subscription in the push service.
    public typealias SubscriptionState = WebPushSubscriptionState
    /// The reason why a browser cannot decrypt a push.
    public typealias Unreadable = WebPushUnreadable
    /// The urgency of a push.
    public typealias Urgency = WebPushUrgency

    /// The addresses of a running simulator.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// The port.
        public let port: Int
        /// The origin of the endpoints, which is the audience of VAPID tokens.
        public let origin: String
        /// The port for browsers that speak Mozilla's push protocol, if there is one.
        public internal(set) var browserPort: Int?

        /// The value of `dom.push.serverURL` for a Firefox.
        public var browserURL: String? {
            browserPort.map { "ws://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\($0)/" }
        }
    }
}
