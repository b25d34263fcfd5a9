import Logging
import NIOCore
import NIOHTTP1

/// One HTTP/1.1 connection of a sender. NIO's pipelining handler precedes it, so requests come one by one.
final class HTTP1Connection<Service: ConnectionService>: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let logger: Logger
    private var service: Service
    private var incoming: Service.Message?
    private var keepsAlive = true
    private var isLeaving = false
    private var isBusy = false
    private var requests = 0
    private var context: ChannelHandlerContext?

    init(_ service: Service, _ logger: Logger) {
        self.service = service
        self.logger = logger
    }

    /// The handler is added when the handshake has negotiated the protocol, so the channel is already active.
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        service.opened()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        service.closed()
        incoming = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head)
        case .body(let bytes): receive(bytes, context)
        case .end: complete(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isLeaving = true
            if !isBusy { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Logs only the type of an error: its text may contain header fields, and with them tokens.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("a connection failed", metadata: ["error": "\(type(of: error))"])
        context.close(promise: nil)
    }

    private func receive(_ head: HTTPRequestHead) {
        isBusy = true
        requests += 1
        keepsAlive = head.isKeepAlive
        var message = Service.Message()
        message.take(":method", head.method.rawValue)
        message.take(":path", head.uri)
        for (name, value) in head.headers {
            message.take(name.lowercased(), value)
        }
        incoming = message
    }

    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        incoming?.append(bytes.readableBytesView)
        guard let length = incoming?.bodyLength, length > StreamLimits.hopelessBody else { return }
        // The rest of the body would only be discarded.
        keepsAlive = false
        complete(context)
    }

    private func complete(_ context: ChannelHandlerContext) {
        guard let message = incoming else { return }
        incoming = nil
        let reply = service.process(message)
        if let limit = service.goAwayAfter, requests >= limit { keepsAlive = false }
        if reply.losesConnection {
            context.close(promise: nil)
            return
        }
        guard let answer = reply.answer else { return }
        guard reply.delay > .zero else { return write(answer, context) }
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(reply.delay)) {
            guard let context = self.context else { return }
            self.write(answer, context)
        }
    }

    private func write(_ answer: SimulatedResponse, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status))
        for field in answer.fields {
            head.headers.add(name: field.name, value: field.value)
        }
        head.headers.add(name: "content-length", value: String(answer.body.utf8.count))
        let closes = isLeaving || !keepsAlive
        if closes { head.headers.add(name: "connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !answer.body.isEmpty {
            let buffer = context.channel.allocator.buffer(string: answer.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        isBusy = false
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        guard closes else { return }
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
}
