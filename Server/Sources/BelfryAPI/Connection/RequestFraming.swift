import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Is sent through a connection by who begins to read the body of a request.
struct BodyWanted: Sendable {}

/// Stands behind the parser, in front of the express lane and the router alike, and keeps what RFC 9112 says of the
/// messages on a connection (SEC-12): a request whose end nobody can tell is refused, who expects to be told to go on
/// is told, and a connection that ends does so when its last answer can have been read.
final class RequestFraming: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a client may still send behind its last answer, and how much of it is read. To close with bytes unread
    /// would take the answer from it.
    static let patience = TimeAmount.seconds(30)
    static let maximumUnreadBytes = RequestGuard.maximumBodyBytes

    private enum Phase {
        /// Requests are taken.
        case open
        /// The last request is here. Its parts pass, and nothing behind it.
        case last
        /// What came is refused when all that came before it is answered.
        case refused(MalformedRequest)
        /// The last answer is written; what still comes is thrown away.
        case answered
    }

    private let forwarding: ForwardingWatch?
    private var phase = Phase.open
    /// Requests that passed and are not answered yet.
    private var unanswered = 0
    /// Whether parts of a request that passed are still to come.
    private var isReading = false
    /// Of the newest request, as long as its body has not begun.
    private var awaitsContinue = false
    private var awaitsKeepAlive = false
    private var endsWithAnswer = false
    private var unreadBytes = 0
    private var timer: Scheduled<Void>?

    /// - Parameter forwarding: is told of the first `X-Forwarded-For` of each connection.
    init(forwarding: ForwardingWatch? = nil) {
        self.forwarding = forwarding
    }

    private var hasSeenForwarding = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard case .open = phase else { return }
            begin(head, data, context)
        case .body(let part):
            guard isReading else { return discard(part.readableBytes, context) }
            awaitsContinue = false
            context.fireChannelRead(data)
        case .end:
            guard isReading else { return }
            isReading = false
            awaitsContinue = false
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Who is behind reads no more.
        if case .answered = phase { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            guard head.status.code >= 200, let marked = marked(head) else {
                return context.write(data, promise: promise)
            }
            context.write(wrapOutboundOut(.head(marked)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            // What the library says of a request that it could not read answers none that passed.
            unanswered = max(unanswered - 1, 0)
            if endsWithAnswer {
                endAnswers(context)
            } else if case .refused(let fault) = phase, unanswered == 0 {
                refuse(fault, context)
            }
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { beginToLinger(context) }
        context.close(mode: mode, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        // While others are unanswered it is one of these whose body is wanted, and that is here.
        guard awaitsContinue, unanswered <= 1 else { return }
        awaitsContinue = false
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil
        )
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .answered = phase, case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What cannot be read behind the last request concerns nobody.
        if error is HTTPParserError, !isReading {
            guard case .open = phase else { return }
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        let frame: RequestFrame
        do throws(MalformedRequest) {
            frame = try RequestFrame(head)
        } catch {
            phase = .refused(error)
            if unanswered == 0 { refuse(error, context) }
            return
        }
        unanswered += 1
        isReading = !frame.isOversized
        awaitsContinue = frame.awaitsContinue
        awaitsKeepAlive = frame.awaitsKeepAlive
        if frame.isLast { phase = .last }
        if frame.isForwarded, !hasSeenForwarding {
            hasSeenForwarding = true
            forwarding?.see(from: Peer(channel: context.channel).address)
        }
        if frame.isLast || frame.hasVainExpectation {
            context.fireChannelRead(wrapInboundOut(.head(Self.plain(head, frame))))
        } else {
            context.fireChannelRead(data)
        }
    }

    /// As the library understands it: it ends behind `close` in these letters only.
    private static func plain(_ head: HTTPRequestHead, _ frame: RequestFrame) -> HTTPRequestHead {
        var head = head
        if frame.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
        if frame.hasVainExpectation { head.headers.remove(name: "expect") }
        return head
    }

    /// The head of an answer with what it says of the connection, when it has to say something.
    private func marked(_ head: HTTPResponseHead) -> HTTPResponseHead? {
        let isOfNewest = unanswered <= 1
        if head.headers.sayClose {
            endsWithAnswer = true
            phase = .last
            return nil
        }
        var isLast = false
        if isOfNewest, case .last = phase { isLast = true }
        // Nobody knows whether the client sends its body after all.
        guard isLast || (isOfNewest && awaitsContinue) else {
            // Who sends ahead is of one version in all its requests.
            guard awaitsKeepAlive else { return nil }
            var head = head
            head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
            return head
        }
        endsWithAnswer = true
        phase = .last
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        return head
    }

    private func refuse(_ fault: MalformedRequest, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(HTTPResponseHead(fault.head))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(fault.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        endAnswers(context)
    }

    private func endAnswers(_ context: ChannelHandlerContext) {
        context.flush()
        beginToLinger(context)
        context.close(mode: .output, promise: nil)
    }

    private func beginToLinger(_ context: ChannelHandlerContext) {
        if case .answered = phase { return }
        phase = .answered
        isReading = false
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
        context.read()
    }

    private func discard(_ count: Int, _ context: ChannelHandlerContext) {
        guard case .answered = phase else { return }
        unreadBytes += count
        if unreadBytes > Self.maximumUnreadBytes { context.close(promise: nil) }
    }
}

extension HTTPHeaders {
    /// Whether they say `Connection: close`, as this server writes it.
    fileprivate var sayClose: Bool {
        contains { name, value in
            name.utf8.count == 10 && value == "close" && name.lowercased() == "connection"
        }
    }
}
