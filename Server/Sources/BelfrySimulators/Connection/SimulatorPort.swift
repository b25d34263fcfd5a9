import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// How a simulator listens on one port: TLS, and behind it the protocols that it speaks.
struct SimulatorPort<Service: ConnectionService>: Sendable {
    var host: String
    /// 0: any free one.
    var port: Int
    var tls: NIOSSLContext
    var streams: StreamLimits
    /// Whether a client may agree on HTTP/1.1 as well (ALPN, RFC 7301).
    var speaksHTTP1: Bool
    var connections: ConnectionList
    var logger: Logger
    /// Makes what stands behind each connection.
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
        // A sender that gives up on slow answers resets many streams at once; that is no attack here.
        stream.streamResetFrameRateLimit.maximumCount = 2_000
        return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
    }
}

/// What one connection may take.
struct StreamLimits: Sendable, Equatable {
    /// Bytes of the flow-control window of a whole HTTP/2 connection.
    static let window = 8 << 20
    /// Bytes of a body after which it is answered without its end: less than a stream's window, so it never stalls.
    static let hopelessBody = 32 << 10

    /// SETTINGS_MAX_CONCURRENT_STREAMS, once the service allows all.
    var most: Int
    /// SETTINGS_MAX_CONCURRENT_STREAMS before.
    var first: Int

    init(_ most: Int) {
        self.most = max(most, 1)
        first = self.most
    }
}

/// A place in a URL.
enum SimulatorAddress {
    /// The base URL of a service, without a path, as RFC 6454 §6.2 writes an origin: the usual port is left out.
    static func origin(host: String, port: Int) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
    }
}
