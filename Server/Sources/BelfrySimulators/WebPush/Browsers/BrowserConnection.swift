import Logging
import NIOCore
import NIOWebSocket

/// One connection of a browser that uses Mozilla's push protocol, after the WebSocket handshake. An aggregator before
/// this handler assembles whole messages.
final class BrowserConnection: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let service: BrowserService
    private let logger: Logger
    /// The browser's id; nil until it has said hello.
    private var browser: String?
    private var channels: [String: PushChannel] = [:]
    private var context: ChannelHandlerContext?

    init(_ service: BrowserService, _ logger: Logger) {
        self.service = service
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        for channel in channels.values { service.leave(channel) }
        channels = [:]
        if let browser { service.browsers.leave(browser, from: context.channel) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text: receive(Array(frame.unmaskedData.readableBytesView), context)
        case .ping: write(.pong, frame.unmaskedData, context)
        case .connectionClose: end(.normalClosure, context)
        case .binary: end(.unacceptableData, context)
        default: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { end(.goingAway, context) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("a connection failed", metadata: ["error": "\(type(of: error))"])
        context.close(promise: nil)
    }

    private func receive(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard let message = BrowserMessage(bytes) else { return end(.dataInconsistentWithMessage, context) }
        if case .hello(let known) = message {
            guard browser == nil else { return end(.policyViolation, context) }
            return welcome(known, context)
        }
        guard let browser else { return end(.policyViolation, context) }
        switch message {
        case .hello, .other: break
        case .ping: write(.text, context.channel.allocator.buffer(string: "{}"), context)
        case .register(let channel, let key): register(channel, of: browser, key, context)
        case .unregister(let channel):
            if let former = channels.removeValue(forKey: channel) { service.leave(former) }
            service.unregister(channel, of: browser)
            say(.unregistered(channel: channel), context)
        case .acknowledge(let updates): acknowledge(updates, context)
        }
    }

    private func welcome(_ known: String?, _ context: ChannelHandlerContext) {
        guard let arrival = service.arrive(known, on: context.channel) else { return end(.goingAway, context) }
        // The former connection may be on another event loop.
        arrival.former?.close(promise: nil)
        browser = arrival.browser
        channels = arrival.channels.mapValues(PushChannel.init)
        say(.hello(browser: arrival.browser), context)
        for channel in channels.keys.sorted() { look(into: channel) }
    }

    private func register(
        _ channel: String, of browser: String, _ key: String?, _ context: ChannelHandlerContext
    ) {
        let (message, token) = service.register(channel, of: browser, key: key)
        say(message, context)
        guard let token, channels[channel] == nil else { return }
        channels[channel] = PushChannel(token: token)
        look(into: channel)
    }

    private func acknowledge(_ updates: [BrowserMessage.Acknowledgement], _ context: ChannelHandlerContext) {
        for update in updates where channels[update.channel]?.acknowledge(version: update.version) == true {
            look(into: update.channel)
        }
    }

    /// Sends the pushes that wait in the channel, and looks again at the next push. Sent pushes stay in the mailbox
    /// until the browser has acknowledged them, so a broken connection loses nothing.
    private func look(into id: String) {
        guard let context, let look = channels[id]?.looks(), let channel = channels[id] else { return }
        let news = context.eventLoop.makePromise(of: Void.self)
        let found = service.waiting(in: channel, news: news)
        if found?.isEmpty == true {
            news.futureResult.assumeIsolated().whenComplete { _ in
                guard self.channels[id]?.look == look else { return }
                self.look(into: id)
            }
        } else {
            news.succeed(())
        }
        for push in found ?? [] where channels[id]?.sends(push.sequence, version: push.id) == true {
            say(.notification(channel: id, push), context)
        }
    }

    private func say(_ message: ServiceMessage, _ context: ChannelHandlerContext) {
        write(.text, context.channel.allocator.buffer(string: SimulatorJSONText.encode(message)), context)
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    private func end(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        write(.connectionClose, data, context)
        context.close(promise: nil)
    }
}
