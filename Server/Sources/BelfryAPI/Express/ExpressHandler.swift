import BelfryServices
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Stands in front of the router. What the express lane takes is answered here, on the connection's own event loop:
/// no task, no stream, no change of thread but that to the database's writer and back. All else passes through.
///
/// Answers keep the order of the requests: the lane takes one only when nothing that passed is still unanswered, and
/// what arrives behind one that waits for its commit is held until then.
final class ExpressHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case free
        /// The lane has taken the request; its body is being read.
        case reading(HTTPRequest, ExpressLane.Ticket, ByteBuffer)
        /// It waits for its commit. It is kept, for it may still have to go the long way.
        case answering(HTTPRequest, ExpressLane.Ticket, ByteBuffer)
    }

    /// What comes from the connection, in its order.
    private enum Arrival {
        case part(HTTPRequestPart)
        /// What comes is too slow or no request.
        case fault(any Error)
        /// The client sends nothing more, and may still wait for an answer.
        case end
    }

    private let lane: ExpressLane
    private var state = State.free
    /// Requests that passed and are not answered yet.
    private var passed = 0
    /// What arrived behind the request that waits for its commit.
    private var held: [Arrival] = []
    private var isReadHeld = false
    /// The other end of the connection, once it was asked for.
    private var address: IPAddress?

    init(lane: ExpressLane) {
        self.lane = lane
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        take(.fault(error), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        take(.end, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Nobody will send the rest; what was counted is given back.
        if case .reading(_, let ticket, _) = state {
            lane.giveBack(ticket)
            state = .free
        }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        // No more than one piece of what a client sends ahead is kept in memory.
        guard held.isEmpty else { return isReadHeld = true }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // What the library says of a request that it could not read answers none that passed.
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
        case .fault(let error):
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
            // A client that reads no answers waits at the router, which does not write on and on.
            if passed == 0, context.channel.isWritable, let ticket = lane.ticket(for: head, from: peer(context)) {
                state = .reading(head, ticket, ByteBuffer())
            } else {
                passed += 1
                context.fireChannelRead(wrapInboundOut(part))
            }
        case (.free, _), (.answering, _):
            context.fireChannelRead(wrapInboundOut(part))
        case (.reading(let head, let ticket, var body), .body(var piece)):
            // Emptied, so that the buffer has one owner and is not copied.
            state = .free
            if body.readableBytes == 0 { swap(&body, &piece) } else { body.writeBuffer(&piece) }
            if body.readableBytes <= ExpressLane.maximumBodyBytes {
                state = .reading(head, ticket, body)
            } else {
                pass(head, ticket, body, isWhole: false, context)
            }
        case (.reading(let head, let ticket, let body), .end):
            answer(head, ticket, body, context)
        case (.reading(let head, let ticket, let body), .head):
            // The codec never does this; whoever it is for decides.
            pass(head, ticket, body, isWhole: false, context)
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    private func answer(
        _ head: HTTPRequest, _ ticket: ExpressLane.Ticket, _ body: ByteBuffer, _ context: ChannelHandlerContext
    ) {
        state = .answering(head, ticket, body)
        let loop = context.eventLoop
        let me = NIOLoopBound((handler: self, context: context), eventLoop: loop)
        let isTaken = lane.take(ticket, body, on: loop) { me.value.handler.answered($0, me.value.context) }
        if !isTaken { answered(nil, context) }
    }

    /// - Parameter answer: nil when the request is to go the long way after all.
    private func answered(_ answer: ExpressLane.Answer?, _ context: ChannelHandlerContext) {
        guard case .answering(let head, let ticket, let body) = state else { return }
        state = .free
        if let answer {
            context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
            if let body = answer.body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            pass(head, ticket, body, isWhole: true, context)
            context.fireChannelReadComplete()
        }
        readHeld(context)
    }

    /// A request that will never be whole is answered by who answers such ones.
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
