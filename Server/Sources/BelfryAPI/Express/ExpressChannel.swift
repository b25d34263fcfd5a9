import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// An HTTP/1.1 connection whose requests go to the express lane first, and otherwise to the router.
package struct ExpressChannel: HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: Responder
    let lane: ExpressLane?
    let settings: Settings
    let rules: ConnectionRules

    /// The limits of a connection (SEC-2).
    package struct Settings: Sendable {
        /// How long it may be idle, between two requests and while one is being read.
        package var idleTimeout: Duration
        /// The maximum size of a request's URL, and of one header, in bytes.
        package var maximumHeaderBytes: Int
        /// The maximum size of the URL and all headers together, in bytes.
        package var maximumHeadersBytes: Int
        package var maximumHeaders: Int
        /// Whether the connection uses TLS; this is also the scheme of its requests.
        package var isSecure: Bool

        package init(
            idleTimeout: Duration, maximumHeaderBytes: Int, maximumHeadersBytes: Int, maximumHeaders: Int,
            isSecure: Bool = false
        ) {
            self.idleTimeout = idleTimeout
            self.maximumHeaderBytes = maximumHeaderBytes
            self.maximumHeadersBytes = maximumHeadersBytes
            self.maximumHeaders = maximumHeaders
            self.isSecure = isSecure
        }
    }

    /// - Parameters:
    ///   - lane: if nil, the router handles everything.
    ///   - rules: shared by all connections of a server.
    package init(responder: @escaping Responder, lane: ExpressLane?, settings: Settings, rules: ConnectionRules) {
        self.responder = responder
        self.lane = lane
        self.settings = settings
        self.rules = rules
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = settings.maximumHeaderBytes
            limits.maxHeaderListSize = settings.maximumHeadersBytes
            limits.maxHeaderFieldCount = settings.maximumHeaders
            let pipeline = channel.pipeline.syncOperations
            let connection = rules.opened(channel)
            channel.limitSendBuffer()
            // Next to the socket, before TLS as well.
            try pipeline.addHandler(ResponseGuard(rules: rules, connection: connection), position: .first)
            let framing = RequestFraming(forwarding: rules.forwarding, memory: rules.bodies)
            try pipeline.addHandler(HeadSlices(framing))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits
            )
            try pipeline.addHandler(framing)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: settings.isSecure))
            try pipeline.addHandler(RequestGuard(rules: rules, connection: connection))
            // Before the lane, so that the idle timeout and the shutdown consider all requests.
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: settings.idleTimeout, logger: logger))
            if let lane { try pipeline.addHandler(ExpressHandler(lane: lane)) }
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    package func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
