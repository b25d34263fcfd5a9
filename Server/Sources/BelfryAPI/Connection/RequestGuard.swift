import BelfryWire
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A request whose body did not arrive in time.
struct RequestTooSlow: Error {}

/// A request that others' bodies left no memory for (SEC-12).
struct RequestCrowdedOut: Error {}

/// Stands between a connection and its requests (SEC-2, WIRE-23): a request has a time to arrive in, a body that
/// nobody reads has an end, what is no HTTP gets an answer in our words, and what it holds in memory until it is
/// complete is counted with that of all other connections (SEC-12).
///
/// How large headers may be, and how long a connection may be silent, is the library's affair; the program sets both.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// From a request's head to the end of its body: 1 MiB over the slowest of mobile networks.
    package static let patience = TimeAmount.seconds(120)
    /// What is thrown away of a body after its refusal; then the connection ends.
    static let maximumBodyBytes = 2 * WireLimits.maximumBodyBytes
    /// How long a request that was crowded out stays behind complete ones that are not answered.
    static let crowdedPatience = TimeAmount.seconds(5)

    private let rules: ConnectionRules?
    private let connection: OpenConnection?
    private var isReading = false
    private var bodyBytes = 0
    /// Of the request that is being read.
    private var fields = HTTPFields()
    /// Requests that are not answered yet.
    private var unanswered = 0
    /// Whether the request that is being read has ended with an error; the rest of it is ignored.
    private var isOver = false
    /// Runs only for a request that did not arrive at once, or was crowded out behind others.
    private var timer: Scheduled<Void>?
    /// What it holds is counted only for such a request, too.
    private var holding: (id: UInt64, isKnown: Bool, bytes: Int)?
    private var malformed: MalformedRequest?

    /// - Parameters:
    ///   - rules: nil: what is held is not counted.
    ///   - connection: is told when nobody waits for it; nil when it is not counted.
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
            guard bodyBytes <= Self.maximumBodyBytes else { return context.close(promise: nil) }
        case .end:
            stopReading()
            connection?.becameBusy()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isReading {
            if timer == nil {
                timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) {
                    self.lost(context, by: RequestTooSlow())
                }
            }
            if unanswered <= 1 { connection?.wentOn(at: context.eventLoop.now) }
            hold(context)
        }
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of one that has ended already, only the timer is left.
        if !isOver { stopReading() }
        switch error {
        case let error as HTTPParserError:
            malformed = error == .headerOverflow ? .headersTooLarge : .notHTTP
            context.fireErrorCaught(error)
        case is IOError, is ChannelError:
            context.fireErrorCaught(error)
        default:
            // A method or an address that has no meaning; the library answers to errors of its parser only.
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
            // One that is not whole keeps nobody busy.
            if unanswered == 0 || (unanswered == 1 && isReading) { connection?.wentOn(at: context.eventLoop.now) }
            return context.write(data, promise: promise)
        }
        // The library's own answer has no body; all of ours that refuse have one.
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

    /// Counts what the request that is being read holds by now.
    private func hold(_ context: ChannelHandlerContext) {
        guard let rules else { return }
        if holding == nil {
            let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let id = rules.bodies.begin { [loop = context.eventLoop] id in
                loop.execute { me.value.handler.giveUp(id, me.value.context) }
            }
            holding = (id, rules.knows(fields), -1)
        }
        guard let (id, isKnown, bytes) = holding, bytes != bodyBytes else { return }
        holding?.bytes = bodyBytes
        rules.bodies.hold(id, bytes: bodyBytes, isKnown: isKnown)
    }

    /// Gives the memory of a request to others, unless it has become complete meanwhile: what is read by then may be
    /// the next one.
    private func giveUp(_ id: UInt64, _ context: ChannelHandlerContext) {
        guard isReading, holding?.id == id else { return }
        lost(context, by: RequestCrowdedOut())
        guard unanswered > 1, context.channel.isActive else { return }
        // The complete ones before it get their answers. As long as they wait nobody reads it, so nothing would let its
        // memory go.
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
