import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The port for browsers: a WebSocket (RFC 6455) without TLS, for browsers on the same machine.
enum BrowserPort {
    /// The subprotocol that Firefox offers; it is not required.
    static let protocolName = "push-notification"
    private static let noUpgrade = "refusal"
    /// Pieces of one message.
    private static let maximumFragments = 64

    /// Prepares one connection.
    static func initialise(
        _ channel: any Channel, _ service: BrowserService, _ rule: RequestOriginRule, _ logger: Logger
    ) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: BrowserMessage.maximumBytes,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(rule.allows(head) ? protocols(of: head.headers) : nil)
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
                completionHandler: { context in context.pipeline.removeHandler(name: noUpgrade, promise: nil) }
            )
        )
        try pipeline.addHandler(NoUpgrade(rule), name: noUpgrade)
    }

    private static func protocols(of headers: HTTPHeaders) -> HTTPHeaders {
        let offered = headers[canonicalForm: "sec-websocket-protocol"].map { String($0) }
        return offered.contains(protocolName) ? ["sec-websocket-protocol": protocolName] : [:]
    }
}

extension RequestOriginRule {
    /// Whether the origin is allowed. A page may open a WebSocket to any site, and only the service can reject it (RFC
    /// 6455 §10.2).
    fileprivate func allows(_ head: HTTPRequestHead) -> Bool {
        let caller = Caller(
            host: head.headers.first(name: "host"), origin: head.headers.first(name: "origin"),
            site: head.headers.first(name: "sec-fetch-site")
        )
        return (try? check(caller)) != nil
    }
}

/// Responds to requests that do not want a WebSocket, or may not have one.
private final class NoUpgrade: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let rule: RequestOriginRule
    private var isAllowed = true

    init(_ rule: RequestOriginRule) {
        self.rule = rule
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isAllowed = rule.allows(head)
        case .body: break
        case .end: reject(context)
        }
    }

    private func reject(_ context: ChannelHandlerContext) {
        var headers: HTTPHeaders = ["content-length": "0", "connection": "close"]
        if isAllowed { headers.add(name: "upgrade", value: "websocket") }
        let head = HTTPResponseHead(
            version: .http1_1, status: isAllowed ? .upgradeRequired : .forbidden, headers: headers
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
