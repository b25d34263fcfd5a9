import NIOCore

/// Stands before the parser and hands it no more at once than ``RequestFraming`` can account for: the parser keeps what it
/// has of a head to itself, so what came is told by what it has not said anything of yet (SEC-12).
///
/// While as many requests wait for their answers as may, what follows stays here, unparsed, and no more is read. Each
/// answer is flushed, so each flush is a moment to look whether there is room again.
final class HeadSlices: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private let framing: RequestFraming
    private var held = ByteBuffer()
    /// The client sends nothing more than what is held.
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
        // Nobody asked for it: of a client that has closed its side the system delivers all that is there.
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
        guard held.readableBytes > 0 || framing.isFull else { return context.read() }
        isReadHeld = true
        resumeSoon(context)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        resumeSoon(context)
    }

    private var isHolding: Bool { held.readableBytes > 0 || isEndHeld || isReadHeld }

    /// Takes from the bytes what the parser may have now, and the rest too if the connection ends by it.
    private func pass(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) {
        while !framing.isFull, let slice = bytes.readSlice(length: min(bytes.readableBytes, framing.nextSlice)) {
            let count = slice.readableBytes
            // The parser has said what is wrong; of what comes behind it would say something else.
            if !framing.isUnreadable { context.fireChannelRead(wrapInboundOut(slice)) }
            guard framing.hasRoom(after: count) else {
                bytes.clear()
                return context.close(promise: nil)
            }
            if bytes.readableBytes == 0 { return }
        }
    }

    /// Not at once: whoever writes an answer may itself hold what comes before this.
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
        if isReadHeld, !framing.isFull {
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
