import BelfryServices
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Runs before the router. Requests of the express lane are handled here, on the connection's event loop: without a
/// task, a stream or a change of thread, except to the database's writer and back. All others go to the router.
///
/// Responses keep the order of the requests: the lane takes a request only when the router has none in work, and
/// requests that arrive while one waits for its commit are held until then.
final class ExpressHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case free
        /// The lane has taken the request; its body is being read.
        case reading(HTTPRequest, ExpressLane.Ticket, ByteBuffer)
        /// It waits for its commit. The request is kept, because it may still have to go to the router.
        case answering(HTTPRequest, ExpressLane.Ticket, ByteBuffer)
    }

    /// Input from the connection, in its order.
    private enum Arrival {
        case part(HTTPRequestPart)
        /// The input is too slow or not a request.
        case error(any Error)
        /// The client sends nothing more, but may still wait for a response.
        case end
    }

    private let lane: ExpressLane
    private var state = State.free
    /// Requests that went to the router and have no response yet.
    private var passed = 0
    /// Input that arrived after the request that waits for its commit.
    private var held: [Arrival] = []
    private var isReadHeld = false
    /// Requests that the lane has answered.
    private var answered = 0
    /// The peer's address, once it was needed.
    private var address: IPAddress?

    init(lane: ExpressLane) {
        self.lane = lane
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        take(.error(error), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        take(.end, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The rest of the body will never arrive, so the request does not count against the limits.
        if case .reading(_, let ticket, _) = state {
            lane.giveBack(ticket)
            state = .free
        }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        // If a client sends requests ahead, only one part of them is kept in memory.
        guard held.isEmpty else { return isReadHeld = true }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library's own response to an invalid request does not belong to a request that went to the router.
        if case .end = unwrapOutboundIn(data) { passed = max(passed - 1, 0) }
        context.write(data, promise: promise)
    }

    private func peer(_ context: ChannelHandlerContext) -> IPAddress {
        if let address { return address }
        let peer = Peer(channel: context.channel).address
        address = peer
        return peer
    }

    private func take(_ arrival: Arrival, _ context: ChannelHandlerContext) {
        if case .answering = state { return held.append(arrival) }
        switch arrival {
        case .part(let part):
            read(part, context)
        case .error(let error):
            passHalf(context)
            context.fireErrorCaught(error)
        case .end:
            passHalf(context)
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    private func read(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.free, .head(let head)):
            // For a client that does not read its responses, the router waits before it writes more.
            if passed == 0, context.channel.isWritable, let ticket = lane.ticket(for: head, from: peer(context)) {
                state = .reading(head, ticket, ByteBuffer())
            } else {
                passed += 1
                context.fireChannelRead(wrapInboundOut(part))
            }
        case (.free, _), (.answering, _):
            context.fireChannelRead(wrapInboundOut(part))
        case (.reading(let head, let ticket, var body), .body(var piece)):
            // Cleared, so that the buffer has one owner and is not copied.
            state = .free
            if body.readableBytes == 0 { swap(&body, &piece) } else { body.writeBuffer(&piece) }
            if body.readableBytes <= ExpressLane.maximumBodyBytes {
                state = .reading(head, ticket, body)
            } else {
                pass(head, ticket, body, isWhole: false, context)
            }
        case (.reading(let head, let ticket, let body), .end):
            reply(head, ticket, body, context)
        case (.reading(let head, let ticket, let body), .head):
            // The codec never does this; the router decides.
            pass(head, ticket, body, isWhole: false, context)
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    private func reply(
        _ head: HTTPRequest, _ ticket: ExpressLane.Ticket, _ body: ByteBuffer, _ context: ChannelHandlerContext
    ) {
        state = .answering(head, ticket, body)
        let loop = context.eventLoop
        let me = NIOLoopBound((handler: self, context: context), eventLoop: loop)
        let isTaken = lane.take(ticket, body, on: loop) { me.value.handler.replied($0, me.value.context) }
        if !isTaken { replied(nil, context) }
    }

    /// - Parameter answer: nil when the request must go to the router after all.
    private func replied(_ reply: ExpressLane.ExpressReply?, _ context: ChannelHandlerContext) {
        guard case .answering(let head, let ticket, let body) = state else { return }
        state = .free
        if let reply {
            context.write(wrapOutboundOut(.head(reply.head)), promise: nil)
            if let body = reply.body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            lane.meters.answered(ticket.call, since: ticket.begin, number: answered)
            answered &+= 1
        } else {
            pass(head, ticket, body, isWhole: true, context)
            context.fireChannelReadComplete()
        }
        readHeld(context)
    }

    /// Gives a request whose body will never be complete to the router.
    private func passHalf(_ context: ChannelHandlerContext) {
        guard case .reading(let head, let ticket, let body) = state else { return }
        pass(head, ticket, body, isWhole: false, context)
        context.fireChannelReadComplete()
    }

    private func pass(
        _ head: HTTPRequest, _ ticket: ExpressLane.Ticket, _ body: ByteBuffer, isWhole: Bool,
        _ context: ChannelHandlerContext
    ) {
        lane.giveBack(ticket)
        state = .free
        passed += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
        if isWhole { context.fireChannelRead(wrapInboundOut(.end(nil))) }
    }

    private func readHeld(_ context: ChannelHandlerContext) {
        guard !held.isEmpty else { return }
        let arrivals = held
        held = []
        for arrival in arrivals { take(arrival, context) }
        context.fireChannelReadComplete()
        if held.isEmpty, isReadHeld {
            isReadHeld = false
            context.read()
        }
    }
}
