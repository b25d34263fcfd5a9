import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A request whose body did not arrive in time.
struct RequestTooSlow: Error {}

/// A request that was rejected because other bodies took the memory (SEC-12).
struct RequestCrowdedOut: Error {}

/// Bounds the requests of a connection (SEC-2, WIRE-23): the time in which a request must arrive. Anything that is not
/// HTTP gets an error of ours, and the memory of incomplete requests is counted together with that of all other
/// connections (SEC-12).
///
/// The size of headers and the silence on a connection are limited by the library; the program configures both.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// From a request's head to the end of its body: 1 MiB over the slowest of mobile networks.
    package static let patience = TimeAmount.seconds(120)
    /// How long a crowded-out request stays when complete ones before it are unanswered.
    static let crowdedPatience = TimeAmount.seconds(5)

    private let rules: ConnectionRules?
    private let connection: OpenConnection?
    private var isReading = false
    private var bodyBytes = 0
    /// The headers of the request that is being read.
    private var fields = HTTPFields()
    /// Unanswered requests.
    private var unanswered = 0
    /// Whether the request that is being read has ended with an error; the rest of it is ignored.
    private var isOver = false
    /// Runs only for a request that did not arrive at once, or was crowded out while others are unanswered.
    private var timer: Scheduled<Void>?
    /// Its memory is counted only in these cases, too.
    private var holding: (id: UInt64, isKnown: Bool, bytes: Int)?
    private var malformed: MalformedRequest?

    /// - Parameters:
    ///   - rules: nil: memory is not counted.
    ///   - connection: is notified when the connection becomes idle; nil when it does not count.
    init(rules: ConnectionRules? = nil, connection: OpenConnection? = nil) {
        self.rules = rules
        self.connection = connection
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            bodyBytes = 0
            fields = head.headerFields
            unanswered += 1
        case .body(let part):
            bodyBytes += part.readableBytes
        case .end:
            stopReading()
            connection?.becameBusy()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isReading {
            if timer == nil {
                timer = context.eventLoop.assumeIsolated().scheduleTask(in: rules?.bodyPatience ?? Self.patience) {
                    self.lost(context, by: RequestTooSlow())
                }
            }
            if unanswered <= 1 { connection?.wentOn(at: context.eventLoop.now) }
            hold(context)
        }
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It has already ended; only its timer is left.
        if !isOver { stopReading() }
        switch error {
        case let error as HTTPParserError:
            malformed = error == .headerOverflow ? .headersTooLarge : .notHTTP
            context.fireErrorCaught(error)
        case is IOError, is ChannelError:
            context.fireErrorCaught(error)
        default:
            // A method or an address without a meaning; the library only responds to errors of its parser.
            malformed = .notHTTP
            context.fireErrorCaught(HTTPParserError.unknown)
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stopReading()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        stopReading()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(unanswered - 1, 0)
            // An incomplete request does not make the connection busy.
            if unanswered == 0 || (unanswered == 1 && isReading) { connection?.wentOn(at: context.eventLoop.now) }
            return context.write(data, promise: promise)
        }
        // The library's own response has no body; all our rejections have one.
        guard let malformed, case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        self.malformed = nil
        context.write(wrapOutboundOut(.head(malformed.head)), promise: promise)
        context.write(wrapOutboundOut(.body(malformed.body)), promise: nil)
    }

    private func lost(_ context: ChannelHandlerContext, by error: any Error) {
        guard isReading else { return }
        stopReading()
        isOver = true
        context.fireErrorCaught(error)
    }

    /// Counts the memory that the request being read holds so far.
    private func hold(_ context: ChannelHandlerContext) {
        guard let rules else { return }
        if holding == nil {
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let id = rules.bodies.begin { [loop = context.eventLoop] id in
                loop.execute { me.value.handler.abandon(id, me.value.context) }
            }
            holding = (id, rules.knows(fields), -1)
        }
        guard let (id, isKnown, bytes) = holding, bytes != bodyBytes else { return }
        holding?.bytes = bodyBytes
        rules.bodies.hold(id, bytes: bodyBytes, isKnown: isKnown)
    }

    /// Frees the memory of a request, unless it has become complete meanwhile: what is read by then may belong to the
    /// next one.
    private func abandon(_ id: UInt64, _ context: ChannelHandlerContext) {
        guard isReading, holding?.id == id else { return }
        lost(context, by: RequestCrowdedOut())
        guard unanswered > 1, context.channel.isActive else { return }
        // The complete ones before it get their responses. Nothing reads the connection until then, so nothing else
        // would free its memory.
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.crowdedPatience) {
            if self.unanswered > 1 { context.close(promise: nil) }
        }
    }

    private func stopReading() {
        isReading = false
        fields = HTTPFields()
        timer?.cancel()
        timer = nil
        guard let holding else { return }
        self.holding = nil
        rules?.bodies.release(holding.id)
    }
}
