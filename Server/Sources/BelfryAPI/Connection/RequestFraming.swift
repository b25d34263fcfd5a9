import BelfryWire
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Sent through a connection by the code that begins to read a request's body.
struct BodyWanted: Sendable {}

/// Follows the parser, before the express lane and the router, and enforces RFC 9112 (SEC-12): a request with an
/// ambiguous end is rejected, a client that waits for a 100 gets it, and a connection ends in such a way that the
/// client can read its last response.
final class RequestFraming: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a client may still send after its last response, and how much of that is read. To close the connection
    /// with unread bytes would destroy the response.
    static let patience = TimeAmount.seconds(30)
    /// The maximum number of bytes that are read of a body that is, or will be, rejected.
    static let maximumUnreadBytes = 2 * WireLimits.maximumBodyBytes
    /// The maximum size of a slice for the parser, unless it belongs to one known body. A slice that ends a message may
    /// contain any amount of the next one, so up to twice as much of a head is not counted.
    static let sliceBytes = 4_096
    /// How long the complete requests before a rejected head may take. The head's bytes stay in memory until then.
    static let crowdedPatience = RequestGuard.crowdedPatience
    /// The maximum number of unanswered requests on a connection. Those of one more slice may be added.
    static let maximumUnanswered = 8

    private enum Phase {
        /// Requests are accepted.
        case open
        /// The last request is here. Its parts pass, and nothing after it.
        case last
        /// The request is rejected once all previous ones are answered.
        case rejected(MalformedRequest)
        /// The last response is written; whatever still arrives is discarded.
        case answered
    }

    private let forwarding: ForwardingWatch?
    private let memory: BodyMemory?
    private var phase = Phase.open
    /// Requests that passed and are unanswered.
    private var unanswered = 0
    /// Whether parts of a request that passed are still expected.
    private var isReading = false
    /// Whether the newest request waits for a 100, until its body begins.
    private var awaitsContinue = false
    private var awaitsKeepAlive = false
    private var endsWithAnswer = false
    private var unreadBytes = 0
    private var timer: Scheduled<Void>?
    /// The parser has reported on the newest slice.
    private var isHeard = false
    /// Bytes received since its last report: an incomplete head, or something that it does not read at all.
    private var silentBytes = 0
    /// The id under which these bytes are counted in ``BodyMemory``.
    private var holding: UInt64?
    /// The rest of an announced body.
    private var bodyLeft = 0
    /// Bytes of the newest request's body so far.
    private var bodyBytes = 0
    /// Whether the newest request breaks off in its body, has too much of it, or asks in its trailers for the end of
    /// the connection. Its response may be on its way by then, and is the last.
    private var isBrokenOff = false
    /// Whether the parser has rejected the input.
    private var isUnreadable = false
    /// Whether more has arrived after the last request than is discarded while responses are due.
    private var isOverfull = false
    /// Whether the rejected request asks for a head alone.
    private var rejectsHead = false

    /// - Parameters:
    ///   - forwarding: is notified of the first `X-Forwarded-For` of each connection.
    ///   - memory: counts incomplete heads.
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
            bodyBytes += part.readableBytes
            guard bodyBytes <= Self.maximumUnreadBytes else { return breakOff(context) }
            context.fireChannelRead(data)
        case .end(let trailers):
            bodyLeft = 0
            guard isReading else { return }
            isReading = false
            awaitsContinue = false
            guard trailers?.askToClose == true else { return context.fireChannelRead(data) }
            let isAnswered = unanswered == 0
            isBrokenOff = true
            phase = .last
            context.fireChannelRead(data)
            if isAnswered { endAnswers(context) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if silentBytes > Self.sliceBytes, !isDeaf { hold(context) }
        context.fireChannelReadComplete()
        // The handlers after this one read no more.
        if case .answered = phase { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library responds to what it cannot read, even if the request before has no response yet.
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
            // The library's response to an unreadable request answers none of those that passed.
            unanswered = max(unanswered - 1, 0)
            if endsWithAnswer || (isBrokenOff && unanswered == 0) {
                endAnswers(context)
            } else if case .rejected(let malformed) = phase, unanswered == 0 {
                reject(malformed, context)
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
        // If others are unanswered, one of them wants its body, which has already arrived.
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
            breakOff(context)
        } else {
            // Unreadable bytes after the last request do not matter.
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

    // MARK: Back pressure

    /// Whether the next request must wait for a response. A request that has begun continues, and so does discarding.
    var isFull: Bool {
        guard case .open = phase, !isUnreadable, !isReading else { return false }
        return unanswered >= Self.maximumUnanswered
    }

    /// Whether nothing more is read until a response is written.
    var pausesReading: Bool { isFull || isSated }

    /// Whether enough has been discarded after the last request, or of its body, and a response is due. To close the
    /// connection now would destroy it and those before it. The system may still deliver what is left when the client
    /// closes its side; nothing of it is kept.
    private var isSated: Bool {
        if case .answered = phase { return false }
        return isOverfull || (isBrokenOff && !isUnreadable)
    }

    /// Whether the parser gets nothing more: it would only report another error, or keep what it never reads.
    var isDeaf: Bool { isUnreadable || isOverfull }

    // MARK: Heads that are not complete

    /// The maximum size of the next slice for the parser.
    var nextSlice: Int { bodyLeft > 0 ? bodyLeft : Self.sliceBytes }

    /// Accounts for a slice that the parser has received.
    ///
    /// - Returns: false when the bytes will never be read.
    func hasRoom(after count: Int) -> Bool {
        if isHeard {
            isHeard = false
            silentBytes = 0
            if holding != nil { release() }
        } else {
            silentBytes += count
        }
        if silentBytes > Self.maximumUnreadBytes, isEnding { isOverfull = true }
        return silentBytes <= Self.maximumUnreadBytes || isSated
    }

    /// Whether no further request is accepted, and a response is due.
    private var isEnding: Bool {
        switch phase {
        case .open: isUnreadable
        case .last, .rejected: true
        case .answered: false
        }
    }

    /// Counts the memory of an incomplete head, as unauthenticated, because nothing has authenticated it yet.
    private func hold(_ context: ChannelHandlerContext) {
        guard let memory else { return }
        let id =
            holding
            ?? {
                let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
                return memory.begin { [loop = context.eventLoop] id in
                    loop.execute { me.value.handler.abandon(id, me.value.context) }
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

    /// Frees the memory of a head, unless it has become complete meanwhile. Only closing the connection frees it, so
    /// the client may miss the response.
    private func abandon(_ id: UInt64, _ context: ChannelHandlerContext) {
        guard holding == id else { return }
        holding = nil
        guard case .open = phase, !isReading else { return context.close(promise: nil) }
        phase = .rejected(.crowdedOut)
        guard unanswered > 0 else { return reject(.crowdedOut, context) }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.crowdedPatience) {
            context.close(promise: nil)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        let frame: RequestFrame
        do throws(MalformedRequest) {
            frame = try RequestFrame(head)
        } catch {
            phase = .rejected(error)
            rejectsHead = head.method == .HEAD
            if unanswered == 0 { reject(error, context) }
            return
        }
        unanswered += 1
        bodyLeft = frame.bodyBytes ?? 0
        bodyBytes = 0
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

    /// The head in the library's terms: it only recognizes `close` in exactly these letters.
    private static func plain(_ head: HTTPRequestHead, _ frame: RequestFrame) -> HTTPRequestHead {
        var head = head
        if frame.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
        if frame.hasVainExpectation { head.headers.remove(name: "expect") }
        return head
    }

    /// The head of a response with its `Connection` header, if it needs one.
    private func marked(_ head: HTTPResponseHead) -> HTTPResponseHead? {
        let isOfNewest = unanswered <= 1
        if head.headers.sayClose {
            endsWithAnswer = true
            phase = .last
            return nil
        }
        var isLast = false
        if isOfNewest, case .last = phase { isLast = true }
        // The client may or may not send its body.
        guard isLast || (isOfNewest && awaitsContinue) else {
            // A client that pipelines uses the same version in all its requests.
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

    private func reject(_ malformed: MalformedRequest, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(HTTPResponseHead(malformed.head))), promise: nil)
        // The response to a HEAD has no body (RFC 9110 §9.3.2): what follows the head would be read as the next one.
        if !rejectsHead { context.write(wrapOutboundOut(.body(.byteBuffer(malformed.body))), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        guard malformed != .crowdedOut else {
            context.flush()
            return context.close(promise: nil)
        }
        endAnswers(context)
    }

    /// Ends the newest request within its body.
    private func breakOff(_ context: ChannelHandlerContext) {
        isReading = false
        isBrokenOff = true
        phase = .last
        if unanswered == 0 { endAnswers(context) }
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
        // From here on the limit is that of a client which reads its last response.
        if isDeaf { silentBytes = 0 }
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
    /// Whether they contain `Connection: close` as this server writes it.
    fileprivate var sayClose: Bool {
        contains { name, value in
            name.utf8.count == 10 && value == "close" && name.lowercased() == "connection"
        }
    }
}
