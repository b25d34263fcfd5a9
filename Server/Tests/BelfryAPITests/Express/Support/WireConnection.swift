import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// A connection that a test writes byte by byte, and whose answers it takes in their order.
final class WireConnection: Sendable {
    private let channel: any Channel
    private let inbox: WireInbox

    static func open(to server: TestServer, sendsOn: Bool = false) async throws -> WireConnection {
        try await open(port: try #require(server.client.port, "the server has no socket"), sendsOn: sendsOn)
    }

    /// - Parameters:
    ///   - tls: what it trusts; nil: no TLS.
    ///   - sendsOn: whether the connection stays when the server has said that it sends nothing more.
    static func open(
        port: Int, tls: NIOSSLContext? = nil, sendsOn: Bool = false
    ) async throws -> WireConnection {
        let inbox = WireInbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: sendsOn)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try pipeline.addHandler(WireReader(inbox))
                }
            }
            .connect(host: "localhost", port: port).get()
        return WireConnection(channel: channel, inbox: inbox)
    }

    private init(channel: any Channel, inbox: WireInbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Returns when the bytes have been given to the system.
    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// The next response; nil when the connection has ended without one.
    func next() async -> WireResponse? {
        await inbox.next()
    }

    func answer(to request: WireRequest) async throws -> WireResponse? {
        try await send(request.bytes)
        return await next()
    }

    /// Says that nothing more will be sent, and continues to listen.
    func endSending() async throws {
        try await channel.close(mode: .output).get()
    }

    func close() async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }
}

/// Answers that nobody has taken yet, or who waits for one.
private final class WireInbox: Sendable {
    private struct State {
        var answers: [WireResponse] = []
        var isClosed = false
        var waiting: CheckedContinuation<WireResponse?, Never>?
    }

    private let state = Mutex(State())

    func put(_ answer: WireResponse) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.answers.append(answer) }
            return state.waiting
        }
        waiting?.resume(returning: answer)
    }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Only one caller waits at a time.
    func next() async -> WireResponse? {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state -> WireResponse?? in
                if !state.answers.isEmpty { return state.answers.removeFirst() }
                if state.isClosed { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let isNow { continuation.resume(returning: isNow) }
        }
    }
}

private final class WireReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let inbox: WireInbox
    private var received = ByteBuffer()

    init(_ inbox: WireInbox) {
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var piece = unwrapInboundIn(data)
        received.writeBuffer(&piece)
        while let answer = WireResponse(takingFrom: &received) { inbox.put(answer) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
