import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// How browsers reach the push service: a WebSocket (RFC 6455) without TLS, for browsers of the same machine.
enum BrowserPort {
    /// Offered by Firefox, and not required.
    static let protocolName = "push-notification"
    private static let refusal = "refusal"
    /// Pieces of one message.
    private static let maximumFragments = 64

    /// Prepares one connection.
    static func initialise(_ channel: any Channel, _ service: BrowserService, _ logger: Logger) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: BrowserMessage.maximumBytes,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(protocols(of: head.headers))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: maximumFragments,
                            maxAccumulatedFrameSize: BrowserMessage.maximumBytes
                        )
                    )
                    try pipeline.addHandler(BrowserConnection(service, logger))
                }
            }
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in context.pipeline.removeHandler(name: refusal, promise: nil) }
            )
        )
        try pipeline.addHandler(UpgradeRequired(), name: refusal)
    }

    private static func protocols(of headers: HTTPHeaders) -> HTTPHeaders {
        let offered = headers[canonicalForm: "sec-websocket-protocol"].map { String($0) }
        return offered.contains(protocolName) ? ["sec-websocket-protocol": protocolName] : [:]
    }
}

/// Answers whoever does not want a WebSocket.
private final class UpgradeRequired: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let headers: HTTPHeaders = ["upgrade": "websocket", "content-length": "0", "connection": "close"]
        let head = HTTPResponseHead(version: .http1_1, status: .upgradeRequired, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
