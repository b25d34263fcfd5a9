import NIOCore

/// Precedes the parser and passes on no more at a time than ``RequestFraming`` can account for. The parser keeps
/// incomplete heads to itself, so the bytes it has not reported on yet are counted as held (SEC-12).
///
/// While the maximum number of requests is unanswered, what follows stays here unparsed, and nothing more is read. Each
/// response is flushed, so each flush is a moment to check for room again.
final class HeadSlices: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private let framing: RequestFraming
    private var held = ByteBuffer()
    /// The client will send nothing beyond what is held.
    private var isEndHeld = false
    private var isReadHeld = false
    private var willResume = false

    init(_ framing: RequestFraming) {
        self.framing = framing
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard held.readableBytes > 0 else {
            pass(&bytes, context)
            return held = bytes
        }
        // Unrequested data: when a client has closed its side, the system delivers everything that is left.
        held.writeBuffer(&bytes)
        if held.readableBytes > RequestFraming.maximumUnreadBytes { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, held.readableBytes > 0 { return isEndHeld = true }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        forget()
    }

    func read(context: ChannelHandlerContext) {
        guard held.readableBytes > 0 || framing.pausesReading else { return context.read() }
        isReadHeld = true
        resumeSoon(context)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        resumeSoon(context)
    }

    private var isHolding: Bool { held.readableBytes > 0 || isEndHeld || isReadHeld }

    /// Passes to the parser what it may have now; the rest, too, if that closes the connection.
    private func pass(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
        while !framing.isFull, let slice = bytes.readSlice(length: min(bytes.readableBytes, framing.nextSlice)) {
            let count = slice.readableBytes
            if !framing.isDeaf { context.fireChannelRead(wrapInboundOut(slice)) }
            guard framing.hasRoom(after: count) else {
                bytes.clear()
                return context.close(promise: nil)
            }
            if bytes.readableBytes == 0 { return }
        }
    }

    /// Deferred to a later turn of the loop: the code that writes a response may itself hold input that comes before
    /// this.
    private func resumeSoon(_ context: ChannelHandlerContext) {
        guard isHolding, !willResume, !framing.isFull else { return }
        willResume = true
        let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.execute { me.value.handler.resume(me.value.context) }
    }

    private func resume(_ context: ChannelHandlerContext) {
        willResume = false
        if held.readableBytes > 0 {
            var bytes = ByteBuffer()
            swap(&bytes, &held)
            pass(&bytes, context)
            held = bytes
            context.fireChannelReadComplete()
        }
        guard held.readableBytes == 0 else { return }
        if isEndHeld {
            isEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadHeld, !framing.pausesReading {
            isReadHeld = false
            context.read()
        }
    }

    private func forget() {
        held = ByteBuffer()
        isEndHeld = false
        isReadHeld = false
    }
}
