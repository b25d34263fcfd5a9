import BelfryPush
import NIOCore
import NIOHPACK
import NIOHTTP2

/// A connection of a ``ScriptedPeer``.
final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Sent through the pipeline by a test.
    struct Command: Sendable {
        let actions: [ScriptedPeer.Action]
    }

    private struct Begun {
        var headers: [HeaderField]
        var body: [UInt8] = []
    }

    private let peer: ScriptedPeer
    private let connection: Int
    private var begun: [HTTP2StreamID: Begun] = [:]
    private var received = 0

    init(peer: ScriptedPeer, connection: Int) {
        self.peer = peer
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let payload):
            begun[frame.streamID] = Begun(headers: payload.headers.map { HeaderField($0.name, $0.value) })
            if payload.endStream { complete(frame.streamID, context) }
        case .data(let payload):
            guard case .byteBuffer(let bytes) = payload.data else { return }
            received += bytes.readableBytes
            begun[frame.streamID]?.body.append(contentsOf: bytes.readableBytesView)
            if payload.endStream { complete(frame.streamID, context) }
        case .rstStream:
            begun[frame.streamID] = nil
            peer.noteReset()
        case .ping(_, ack: let ack):
            if !ack { peer.notePing() }
        default:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if received > 0 { write(.windowUpdate(windowSizeIncrement: received), on: 0, context) }
        received = 0
        context.flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let command = event as? Command else { return }
        perform(command.actions, context)
        context.flush()
    }

    // swift-nio-http2 refuses a stream that comes after its own GOAWAY, and says so here: the connection continues.
    // An error that ends the connection also ends the channel.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    private func complete(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let whole = begun.removeValue(forKey: stream) else { return }
        let request = ScriptedPeer.Request(
            connection: connection, stream: Int(stream), headers: whole.headers, body: whole.body)
        perform(peer.script(request), context)
    }

    private func perform(_ actions: [ScriptedPeer.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .answer(let stream, let status, let fields, let body):
                var headers = HPACKHeaders([(":status", String(status))])
                for field in fields { headers.add(name: field.name, value: field.value) }
                let payload = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: body.isEmpty)
                write(.headers(payload), on: stream, context)
                guard !body.isEmpty else { continue }
                let bytes = IOData.byteBuffer(ByteBuffer(bytes: body))
                write(.data(HTTP2Frame.FramePayload.Data(data: bytes, endStream: true)), on: stream, context)
            case .reset(let stream, let code):
                write(.rstStream(code), on: stream, context)
            case .goAway(let lastStream):
                let last = HTTP2StreamID(lastStream)
                write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), on: 0, context)
            case .close:
                context.close(promise: nil)
            case .stopReading:
                _ = context.channel.setOption(ChannelOptions.autoRead, value: false)
            }
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: Int, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload)), promise: nil)
    }
}
