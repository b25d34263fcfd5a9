import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of HTTP/1.1 whose requests pass the express lane before they reach the router.
package struct ExpressChannel: HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: Responder
    let lane: ExpressLane?
    let settings: Settings
    let rules: ConnectionRules

    /// What bounds a connection (SEC-2).
    package struct Settings: Sendable {
        /// How long it may be silent, between two requests and while one is being read.
        package var idleTimeout: Duration
        /// Bytes of a request's address, or of one of its headers.
        package var maximumHeaderBytes: Int
        /// Bytes of the address and of all headers together.
        package var maximumHeadersBytes: Int
        package var maximumHeaders: Int
        /// Whether the connection is inside of TLS; a request's scheme says so.
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
    ///   - lane: nil: the router takes everything.
    ///   - rules: are shared by all connections of a server.
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
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits
            )
            try pipeline.addHandler(RequestFraming(forwarding: rules.forwarding))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: settings.isSecure))
            try pipeline.addHandler(RequestGuard(rules: rules, connection: rules.opened(channel)))
            // Before the lane, so that idleness and the server's end are judged by all requests.
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
