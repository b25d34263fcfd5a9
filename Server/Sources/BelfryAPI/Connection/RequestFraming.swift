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
    /// What the parser gets at once, unless it is known to be of one body. Of the slice that ends a message nobody knows
    /// how much is the next one's, so twice as much of a head is not counted at most.
    static let sliceBytes = 4_096
    /// How long the complete requests before a head that had to end may take; it lies in memory until then.
    static let crowdedPatience = RequestGuard.crowdedPatience
    /// Requests of a connection that are under way at a time. Those of one more slice may join them.
    static let maximumUnanswered = 8

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
    private let memory: BodyMemory?
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
    /// The parser has said something of the newest slice.
    private var isHeard = false
    /// Bytes that came since it last said anything: of a head that is not complete, or that it does not read at all.
    private var silentBytes = 0
    /// What they are counted by.
    private var holding: UInt64?
    /// What is still to come of a body that was announced.
    private var bodyLeft = 0
    /// Whether the newest request breaks off in its body. The answer to it may be on its way all the same, and is the last.
    private var isBrokenOff = false
    /// Whether the parser has given up on what comes.
    private(set) var isUnreadable = false

    /// - Parameters:
    ///   - forwarding: is told of the first `X-Forwarded-For` of each connection.
    ///   - memory: is told of heads that are not complete.
    init(forwarding: ForwardingWatch? = nil, memory: BodyMemory? = nil) {
        self.forwarding = forwarding
        self.memory = memory
    }

    private var hasSeenForwarding = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isHeard = true
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard case .open = phase else { return }
            begin(head, data, context)
        case .body(let part):
            bodyLeft = max(bodyLeft - part.readableBytes, 0)
            guard isReading else { return discard(part.readableBytes, context) }
            awaitsContinue = false
            context.fireChannelRead(data)
        case .end:
            bodyLeft = 0
            guard isReading else { return }
            isReading = false
            awaitsContinue = false
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if silentBytes > Self.sliceBytes, !isUnreadable { hold(context) }
        context.fireChannelReadComplete()
        // Who is behind reads no more.
        if case .answered = phase { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library answers what it cannot read, whether or not that request has its answer.
        if case .answered = phase {
            promise?.fail(ChannelError.outputClosed)
            return
        }
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
            if endsWithAnswer || (isBrokenOff && unanswered == 0) {
                endAnswers(context)
            } else if case .refused(let malformed) = phase, unanswered == 0 {
                refuse(malformed, context)
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
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        isUnreadable = true
        if isReading {
            isBrokenOff = true
            phase = .last
            if unanswered == 0 { endAnswers(context) }
        } else {
            // What cannot be read behind the last request concerns nobody.
            guard case .open = phase else { return }
        }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        release()
    }

    // MARK: How much is taken

    /// Whether what comes next has to wait for an answer. A request that has begun goes on, and so does what is thrown
    /// away.
    var isFull: Bool {
        guard case .open = phase, !isUnreadable, !isReading else { return false }
        return unanswered >= Self.maximumUnanswered
    }

    // MARK: Heads that are not complete

    /// How much the parser gets next.
    var nextSlice: Int { bodyLeft > 0 ? bodyLeft : Self.sliceBytes }

    /// Accounts for a slice that the parser has got.
    ///
    /// - Returns: false when nobody will ever read what came.
    func hasRoom(after count: Int) -> Bool {
        if isHeard {
            isHeard = false
            silentBytes = 0
            if holding != nil { release() }
        } else {
            silentBytes += count
        }
        return silentBytes <= Self.maximumUnreadBytes
    }

    /// Nobody has shown anything yet, so it counts as a stranger's.
    private func hold(_ context: ChannelHandlerContext) {
        guard let memory else { return }
        let id =
            holding
            ?? {
                let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
                return memory.begin { [loop = context.eventLoop] id in
                    loop.execute { me.value.handler.giveUp(id, me.value.context) }
                }
            }()
        holding = id
        memory.hold(id, bytes: silentBytes, isKnown: false)
    }

    private func release() {
        guard let id = holding else { return }
        holding = nil
        memory?.release(id)
    }

    /// Gives the memory of a head to others, unless it has become complete meanwhile. Only the end of the connection
    /// lets it go, so who sends it may miss what it is told.
    private func giveUp(_ id: UInt64, _ context: ChannelHandlerContext) {
        guard holding == id else { return }
        holding = nil
        guard case .open = phase, !isReading else { return context.close(promise: nil) }
        phase = .refused(.crowdedOut)
        guard unanswered > 0 else { return refuse(.crowdedOut, context) }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.crowdedPatience) {
            context.close(promise: nil)
        }
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
        bodyLeft = frame.bodyBytes ?? 0
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

    private func refuse(_ malformed: MalformedRequest, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(HTTPResponseHead(malformed.head))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(malformed.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        guard malformed != .crowdedOut else {
            context.flush()
            return context.close(promise: nil)
        }
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
