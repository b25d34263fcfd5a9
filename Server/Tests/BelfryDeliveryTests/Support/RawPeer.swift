import BelfryServerTestSupport
import NIOCore
import NIOPosix
import NIOSSL

/// A push service over TLS that sends bytes as they are: its settings, and one reply to the first request.
enum RawPeer {
    /// - Returns: what listens.
    static func start(certificate: TestCertificate, reply: [UInt8]) async throws -> any Channel {
        let tls = try certificate.server(protocols: ["h2"])
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers: [any ChannelHandler] = [
                        NIOSSLServerHandler(context: tls), RawHandler(reply: reply),
                    ]
                    try channel.pipeline.syncOperations.addHandlers(handlers)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
    }
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: [UInt8]
    private var received: [UInt8] = []
    private var isGreeted = false
    private var isReplied = false

    init(reply: [UInt8]) {
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        if !isGreeted {
            isGreeted = true
            send(RawFrame.settings, context)
        }
        // The body of a request of these tests, which is sent as it is.
        guard !isReplied, String(decoding: received, as: UTF8.self).contains("\"number\"") else { return }
        isReplied = true
        send(reply, context)
    }

    // The client may leave in the middle of the reply.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
}
