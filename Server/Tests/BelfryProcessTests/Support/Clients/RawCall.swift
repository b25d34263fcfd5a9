import NIOCore
import NIOPosix

/// A call that a test writes to the socket piece by piece, to be in the midst of it when something happens.
final class RawCall: Sendable {
    private let channel: any Channel
    private let whole: EventLoopFuture<String>

    /// - Parameter server: `http://127.0.0.1:PORT`
    static func open(to server: ServerProcess) async throws -> RawCall {
        guard let port = server.address.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw CallError.noAnswer(call: server.address, reason: "it has no port")
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let whole = loop.makePromise(of: String.self)
        do {
            let channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ResponseCollector(whole))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            return RawCall(channel: channel, whole: whole.futureResult)
        } catch {
            whole.fail(error)
            throw error
        }
    }

    private init(channel: any Channel, whole: EventLoopFuture<String>) {
        self.channel = channel
        self.whole = whole
    }

    /// Returns when the bytes have been given to the system.
    func write(_ text: some StringProtocol) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: String(text))).get()
    }

    /// Everything that the server writes until it closes the connection.
    var answer: String {
        get async throws {
            try await withTaskCancellationHandler {
                try await whole.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        }
    }

}

private final class ResponseCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes that are kept of a response.
    private static let limit = 65_536

    private let whole: EventLoopPromise<String>
    private var text = ""

    init(_ whole: EventLoopPromise<String>) {
        self.whole = whole
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard text.utf8.count < Self.limit else { return }
        text += String(buffer: unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        whole.succeed(text)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
