import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// How a simulator listens on one port: with TLS, and the protocols above it.
struct SimulatorPort<Service: ConnectionService>: Sendable {
    var host: String
    /// The port; 0: any free port.
    var port: Int
    var tls: NIOSSLContext
    var streams: StreamLimits
    /// Whether a client may negotiate HTTP/1.1 as well (ALPN, RFC 7301).
    var speaksHTTP1: Bool
    var connections: ConnectionList
    var logger: Logger
    /// Creates the service behind each connection.
    var service: @Sendable () -> Service

    func listen(on group: any EventLoopGroup) async throws -> any Channel {
        let port = self
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                port.connections.hold(channel)
                return channel.eventLoop.makeCompletedFuture { try port.initialise(channel) }
            }
            .bind(host: host, port: self.port)
            .get()
    }

    private func initialise(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        guard speaksHTTP1 else { return try speakHTTP2(channel) }
        let port = self
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { result, channel in
                channel.eventLoop.makeCompletedFuture {
                    switch result {
                    case .negotiated("h2"): try port.speakHTTP2(channel)
                    case .negotiated, .fallback: try port.speakHTTP1(channel)
                    }
                }
            }
        )
    }

    private func speakHTTP2(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(framing)
        try pipeline.addHandler(HTTP2Connection(service(), streams, logger))
    }

    private func speakHTTP1(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
        try pipeline.addHandler(HTTP1Connection(service(), logger))
    }

    private var framing: NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = nioDefaultSettings.filter { $0.parameter != .maxConcurrentStreams }
        connection.initialSettings.append(HTTP2Setting(parameter: .maxConcurrentStreams, value: streams.first))
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A sender that gives up on slow responses resets many streams together; that is not an attack here.
        stream.streamResetFrameRateLimit.maximumCount = 2_000
        return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
    }
}

/// The limits of one connection.
struct StreamLimits: Sendable, Equatable {
    /// The flow-control window of a whole HTTP/2 connection, in bytes.
    static let window = 8 << 20
    /// The number of bytes of a body after which it is answered before its end. It is smaller than a stream's window,
    /// so the body never stalls.
    static let hopelessBody = 32 << 10

    /// SETTINGS_MAX_CONCURRENT_STREAMS, once the service allows all streams.
    var most: Int
    /// SETTINGS_MAX_CONCURRENT_STREAMS until then.
    var first: Int

    init(_ most: Int) {
        self.most = max(most, 1)
        first = self.most
    }
}

/// Addresses as URLs.
enum SimulatorAddress {
    /// The base URL of a service, without a path, in the form of an origin (RFC 6454 §6.2): the default port is
    /// omitted.
    static func origin(host: String, port: Int) -> String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
    }
}
