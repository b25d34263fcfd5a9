import NIOCore
import NIOPosix
import Synchronization

/// Stands between a client and a server and loses responses: the server did what it was asked, and the connection ends
/// before the client learns of it.
struct LosingProxy: Sendable {
    /// `http://127.0.0.1:PORT`
    let address: String

    /// Runs one, and ends it however the body ends.
    ///
    /// - Parameter losing: on how many connections the response is lost; on later ones it is not.
    static func run(
        before server: ServerProcess, losing count: Int, _ body: (LosingProxy) async throws -> Void
    ) async throws {
        let channel = try await bind(before: server, Losses(count))
        let outcome: Result<Void, any Error>
        do {
            let port = channel.localAddress?.port ?? 0
            outcome = .success(try await body(LosingProxy(address: "http://127.0.0.1:\(port)")))
        } catch {
            outcome = .failure(error)
        }
        try await channel.close().get()
        try outcome.get()
    }

    private static func bind(before server: ServerProcess, _ losses: Losses) async throws -> any Channel {
        guard let port = server.address.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw CallError.noAnswer(call: server.address, reason: "it has no port")
        }
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                let losesAnswer = losses.takeOne()
                return ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(Relay(to: client, losesAll: losesAnswer))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in
                        client.eventLoop.makeCompletedFuture {
                            try client.pipeline.syncOperations.addHandler(Relay(to: server, losesAll: false))
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

/// How many connections are still to lose their responses.
private final class Losses: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) {
        left = Mutex(count)
    }

    func takeOne() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }
}

/// One end of a connection: received bytes are sent at the other end.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let losesAll: Bool

    init(to other: any Channel, losesAll: Bool) {
        self.other = other
        self.losesAll = losesAll
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !losesAll else { return context.close(promise: nil) }
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
