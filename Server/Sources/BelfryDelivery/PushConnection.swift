import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One connection to a push service: the last handler of a NIO channel, behind TLS, around an ``HTTP2Session``.
///
/// Not `Sendable`: it belongs to its event loop, like the dispatcher that creates it and is notified of its events.
final class PushConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    /// No later handler could write.
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        case connecting
        case secured
        case established
        case ended
    }

    /// The number of bytes written at a time: several full TLS records, but few enough to notice soon that the peer
    /// does not read.
    static let chunk = 128 * 1024
    /// The fill levels of the channel's own buffer at which writing pauses and continues.
    static let writeBuffer = ChannelOptions.Types.WriteBufferWaterMark(low: 64 * 1024, high: 256 * 1024)

    let startedAt: NIODeadline
    /// Whether it has received a response.
    private(set) var hasAnswered = false
    /// Whether requests were submitted that are not written yet.
    private(set) var hasUnwritten = false

    private let dispatcher: Dispatcher
    private var stage = Stage.connecting
    private var session: HTTP2Session?
    private var liveness: Liveness
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    private var buffer = ByteBuffer()
    private var isWriting = false
    /// Whether a read was requested that has to wait.
    private var isReadHeld = false
    /// Whether the peer violated the protocol. Nothing more is read, not even the end of TLS, which is not waited for
    /// long.
    private var isBroken = false

    init(dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        let settings = dispatcher.settings
        let now = dispatcher.eventLoop.now
        startedAt = now
        liveness = Liveness(
            pingAfterSilence: settings.pingAfterSilence,
            pingTimeout: settings.pingTimeout,
            now: now
        )
    }

    var isEstablished: Bool { stage == .established }
    var isDraining: Bool { session?.state.phase == .draining }
    var inFlight: Int { session?.inFlight ?? 0 }
    var hasInFlight: Bool { inFlight > 0 }
    var goAway: StreamRules.GoAway? { session?.state.goAway }

    /// The number of requests that it takes now. Zero while the channel has too much to write: requests wait in the
    /// pool, where another connection can still take them.
    var room: Int {
        guard stage == .established, let session, let context, context.channel.isWritable else { return 0 }
        return session.state.room
    }

    // MARK: Opening

    func open() {
        let loop = dispatcher.eventLoop
        let timeout = dispatcher.settings.connectTimeout
        timer = loop.assumeIsolated().scheduleTask(in: timeout) { self.end(.connectTimeout) }
        let endpoint = dispatcher.endpoint
        let found = HostLookup.addresses(
            of: endpoint.host, port: endpoint.port, allowedBy: dispatcher.settings, on: dispatcher.lookups,
            eventLoop: loop
        )
        ClientBootstrap(group: loop)
            .resolver(FoundAddresses(found: found))
            .connectTimeout(timeout)
            .channelOption(ChannelOptions.writeBufferWaterMark, value: Self.writeBuffer)
            .connect(host: endpoint.host, port: endpoint.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    self.connected(channel)
                case .failure(let error):
                    self.dispatcher.channelClosed()
                    self.end(TransportFailure(connecting: error), error)
                }
            }
    }

    /// The handlers are added here and not by the bootstrap, which may open several channels and keep the fastest.
    private func connected(_ channel: any Channel) {
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.dispatcher.channelClosed() }
        guard stage == .connecting else {
            channel.close(promise: nil)
            return
        }
        // Only permitted addresses were passed on; this checks once more before the first byte is sent.
        guard dispatcher.settings.allows(channel.remoteAddress) else {
            end(.privateAddress)
            channel.close(promise: nil)
            return
        }
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(self)
            let tls = try NIOSSLClientHandler(context: dispatcher.tls, serverHostname: dispatcher.serverName)
            try pipeline.addHandler(tls, position: .first)
        } catch {
            end(.handshakeFailed, error)
            channel.close(promise: nil)
        }
    }

    private func secured(_ negotiatedProtocol: String?) {
        guard stage == .connecting else { return }
        guard negotiatedProtocol == DeliveryTrust.http2 else {
            end(.http2NotSpoken)
            return
        }
        let limit = dispatcher.settings.streamsPerConnection
        guard let session = HTTP2Session(authority: dispatcher.endpoint.authority, streamLimit: limit) else {
            end(.outOfMemory)
            return
        }
        self.session = session
        stage = .secured
        pump()
    }

    private func established() {
        stage = .established
        dispatcher.logger.debug(
            "push connection open",
            metadata: [
                "endpoint": "\(dispatcher.endpoint)",
                "streams": "\(session?.state.room ?? 0)",
            ]
        )
        timer?.cancel()
        checkLiveness()
    }

    // MARK: Requests

    /// The time for the response begins with the stream. Otherwise a request that had waited long would be given up
    /// while its response is on the way, and would be sent twice.
    func submit(_ next: WaitingRequests.Next) -> Bool {
        let deadline = next.batch.deadline ?? dispatcher.eventLoop.now + dispatcher.settings.requestTimeout
        guard let session, session.submit(next.batch, index: next.index, deadline: deadline) else { return false }
        hasUnwritten = true
        return true
    }

    func expire(at now: NIODeadline) {
        session?.expire(at: now)
    }

    func takeEnded(into ended: inout [EndedRequest]) {
        guard let session else { return }
        session.takeEnded(into: &ended)
        hasAnswered = session.hasAnswered
    }

    /// Writes what is pending, and closes the connection if it is done.
    func pump() {
        guard let session, let context, !isWriting else { return }
        isWriting = true
        session.sayGoodbyeIfDone()
        let isWhole = write(session, context)
        isWriting = false
        if !isWhole {
            end(.protocolBroken)
        } else if stage != .ended, session.isOver {
            end(.usedUp)
        }
    }

    /// Moves frames from libnghttp2 to the channel until there are none or the channel is full.
    ///
    /// A write may re-enter this type, when the channel becomes writable again or turns out to be closed.
    private func write(_ session: HTTP2Session, _ context: ChannelHandlerContext) -> Bool {
        while stage != .ended, context.channel.isWritable {
            hasUnwritten = false
            buffer.clear()
            let outcome = session.pull(into: &buffer, limit: Self.chunk)
            if buffer.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(buffer), promise: nil) }
            switch outcome {
            case .broken: return false
            case .empty where !hasUnwritten: return true
            case .empty, .more: continue
            }
        }
        return true
    }

    // MARK: Ending

    /// Takes no new requests, and closes after the last response.
    func drain() {
        guard stage == .established, let session else {
            end(.shutDown)
            return
        }
        session.state.drain()
        pump()
    }

    /// Closes immediately, after a GOAWAY if the peer can still receive it.
    func terminate() {
        if let session, let context, !isWriting {
            isWriting = true
            session.sayGoodbye()
            _ = write(session, context)
            isWriting = false
        }
        end(.shutDown)
    }

    func end(_ failure: TransportFailure, _ error: (any Error)? = nil) {
        guard stage != .ended else { return }
        let wasEstablished = isEstablished
        stage = .ended
        timer?.cancel()
        session?.abandon(failure)
        dispatcher.connectionEnded(self, failure, error, wasEstablished: wasEstablished)
        session = nil
        if let context {
            resumeReading(context)
            context.close(promise: nil)
        }
    }

    // MARK: Life signs

    private func checkLiveness() {
        guard stage == .established, let session else { return }
        session.allowMore()
        let next: NIODeadline
        switch liveness.check(at: dispatcher.eventLoop.now) {
        case .fail:
            end(.pingTimeout)
            return
        case .wait(let until):
            next = until
        case .ping(let checkAt):
            session.ping()
            pump()
            next = checkAt
        }
        guard stage == .established else { return }
        timer = dispatcher.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.checkLiveness() }
    }

    // MARK: ChannelDuplexHandler

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        buffer = context.channel.allocator.buffer(capacity: Self.chunk / 4)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiatedProtocol)? = event as? TLSUserEvent {
            secured(negotiatedProtocol)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let session else { return }
        if liveness.heard(at: dispatcher.eventLoop.now) {
            timer?.cancel()
            checkLiveness()
        }
        let bytes = unwrapInboundIn(data)
        guard let failure = bytes.withUnsafeReadableBytes({ session.receive($0) }) else { return }
        isBroken = true
        end(failure)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let session else { return }
        if stage == .secured, session.state.phase != .awaitingSettings { established() }
        dispatcher.readCycleEnded(self)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        resumeReading(context)
        pump()
        dispatcher.dispatch()
    }

    /// Nothing is read while nothing can be written, because input may require a response. A peer that does not read
    /// for long is not heard either, so the PING ends its connection.
    func read(context: ChannelHandlerContext) {
        if !isBroken, stage == .ended || context.channel.isWritable {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadHeld else { return }
        isReadHeld = false
        read(context: context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(TransportFailure(onChannel: error, isSecured: stage != .connecting), error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(stage == .connecting ? .handshakeFailed : .connectionLost)
    }
}
