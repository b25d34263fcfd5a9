import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 connection of a sender: turns frames into requests and responses into frames.
///
/// It uses the frames of `NIOHTTP2Handler` directly, without a channel for each stream: a request has a few hundred
/// bytes and is answered immediately, and a channel would cost many times as much. Responses to the requests of one
/// read are flushed together.
final class HTTP2Connection<Service: ConnectionService>: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private enum Phase {
        case open
        /// GOAWAY is sent; the connection closes when the last stream is done.
        case leaving
        /// The connection is closed, or about to be.
        case lost
    }

    private let streams: StreamLimits
    private let logger: Logger
    private var service: Service
    private var phase = Phase.open
    /// Requests whose end has not arrived.
    private var incoming: [HTTP2StreamID: Service.Message] = [:]
    /// Received requests that are not answered, because their response is slow or withheld.
    private var unanswered: Set<HTTP2StreamID> = []
    private var lastStream = HTTP2StreamID.rootStream
    private var requests = 0
    private var allowsAllStreams: Bool
    private var context: ChannelHandlerContext?

    init(_ service: Service, _ streams: StreamLimits, _ logger: Logger) {
        self.service = service
        self.streams = streams
        self.logger = logger
        allowsAllStreams = streams.first >= streams.most
    }

    /// Where a client negotiates its protocol, the handler is added afterwards, so the channel is already active.
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { service.opened() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        service.opened()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        service.closed()
        phase = .lost
        incoming = [:]
        unanswered = []
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .lost else { return }
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): receive(headers, on: frame.streamID, context)
        case .data(let body): receive(body, on: frame.streamID, context)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent where event.streamID == .rootStream:
            widen(event.inboundWindowSize, context)
        case let event as StreamClosedEvent:
            forget(event.streamID, context)
        case is ChannelShouldQuiesceEvent:
            leave(context)
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Logs only the type of an error: its text may contain header fields, and with them tokens.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.BadStreamStateTransition,
            is NIOHTTP2Errors.ContentLengthViolated:
            // The stream is reset; the others continue.
            logger.debug("a stream failed", metadata: ["error": "\(type(of: error))"])
        default:
            logger.debug("a connection failed", metadata: ["error": "\(type(of: error))"])
            phase = .lost
            context.close(promise: nil)
        }
    }

    private func receive(
        _ frame: HTTP2Frame.FramePayload.Headers,
        on stream: HTTP2StreamID,
        _ context: ChannelHandlerContext
    ) {
        if let request = incoming[stream] {
            // Trailers: only the end of the body matters.
            if frame.endStream { complete(request, on: stream, context) }
            return
        }
        lastStream = stream
        requests += 1
        var request = Service.Message()
        for (name, value, _) in frame.headers {
            request.take(name, value)
        }
        if frame.endStream {
            complete(request, on: stream, context)
        } else {
            incoming[stream] = request
        }
        if let limit = service.goAwayAfter, requests >= limit { leave(context) }
    }

    private func receive(
        _ frame: HTTP2Frame.FramePayload.Data,
        on stream: HTTP2StreamID,
        _ context: ChannelHandlerContext
    ) {
        if case .byteBuffer(let buffer) = frame.data {
            incoming[stream]?.append(buffer.readableBytesView)
        }
        guard let request = incoming[stream] else { return }
        if frame.endStream {
            complete(request, on: stream, context)
        } else if request.bodyLength > StreamLimits.hopelessBody {
            complete(request, on: stream, context)
            // RFC 9113 §8.1: a complete response before the end of the request, then a reset without an error. The
            // response must be written first, because a reset drops what still waits.
            guard phase != .lost, !unanswered.contains(stream) else { return }
            context.flush()
            write(.rstStream(.noError), on: stream, context)
        }
    }

    private func complete(_ request: Service.Message, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        incoming[stream] = nil
        let reply = service.process(request)
        if !allowsAllStreams, service.allowsAllStreams { allowAllStreams(context) }
        if reply.losesConnection {
            phase = .lost
            context.close(promise: nil)
            return
        }
        guard let answer = reply.answer, reply.delay == .zero else {
            unanswered.insert(stream)
            if let answer = reply.answer { write(answer, on: stream, after: reply.delay, context) }
            return
        }
        write(answer, on: stream, context)
    }

    private func write(
        _ answer: SimulatedResponse,
        on stream: HTTP2StreamID,
        after delay: Duration,
        _ context: ChannelHandlerContext
    ) {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
            guard let context = self.context, self.unanswered.remove(stream) != nil else { return }
            self.write(answer, on: stream, context)
            context.flush()
        }
    }

    private func write(_ answer: SimulatedResponse, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        var frame = HTTP2Frame.FramePayload.Headers(headers: [:])
        frame.headers.reserveCapacity(answer.fields.count + 1)
        frame.headers.add(name: ":status", value: String(answer.status))
        for field in answer.fields {
            frame.headers.add(name: field.name, value: field.value, indexing: .nonIndexable)
        }
        frame.endStream = answer.body.isEmpty
        write(.headers(frame), on: stream, context)
        if !answer.body.isEmpty {
            let buffer = context.channel.allocator.buffer(string: answer.body)
            write(.data(.init(data: .byteBuffer(buffer), endStream: true)), on: stream, context)
        }
        service.answered(answer)
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}

// MARK: The connection as a whole
extension HTTP2Connection {
    /// Lifts the limit on streams. A service may allow an unknown sender only few, as Apple's does.
    private func allowAllStreams(_ context: ChannelHandlerContext) {
        allowsAllStreams = true
        let setting = HTTP2Setting(parameter: .maxConcurrentStreams, value: streams.most)
        write(.settings(.settings([setting])), on: .rootStream, context)
    }

    /// Returns the flow-control window that bodies used: they are read as they arrive.
    private func widen(_ size: Int?, _ context: ChannelHandlerContext) {
        guard let size, size < StreamLimits.window / 2, phase != .lost else { return }
        write(.windowUpdate(windowSizeIncrement: StreamLimits.window - size), on: .rootStream, context)
    }

    /// Announces that nothing after the received requests will be processed, and closes when those are done.
    private func leave(_ context: ChannelHandlerContext) {
        guard phase == .open else { return }
        phase = .leaving
        let farewell = context.channel.allocator.buffer(string: service.farewell)
        write(
            .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: farewell),
            on: .rootStream,
            context
        )
        context.flush()
        closeWhenDone(context)
    }

    private func forget(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        incoming[stream] = nil
        unanswered.remove(stream)
        closeWhenDone(context)
    }

    private func closeWhenDone(_ context: ChannelHandlerContext) {
        guard phase == .leaving, incoming.isEmpty, unanswered.isEmpty else { return }
        // Deferred to a later turn: this may be called during the write of the last response.
        context.eventLoop.assumeIsolated().execute {
            guard let context = self.context, self.phase == .leaving else { return }
            self.phase = .lost
            context.flush()
            context.close(promise: nil)
        }
    }
}
