import NIOCore
import NIOPosix
import Testing

@testable import BelfryAPI

/// SEC-9: clients that ask and do not read, by real sockets.
@Suite("Clients that do not read", .serialized)
struct SlowReaderTests {
    /// Asks for more than any system keeps for it, and reads nothing but the first bytes.
    private static func open(to server: TestServer) async throws -> any Channel {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 2_048)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(channel.eventLoop.makePromise()))
                }
            }
            .connect(host: "localhost", port: try #require(server.client.port)).get()
        let requests = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 300)
        try await channel.writeAndFlush(ByteBuffer(string: requests)).get()
        let begun = try await channel.pipeline.handler(type: FirstBytes.self).map { $0.come.futureResult }.get()
        channel.read()
        try await begun.get()
        return channel
    }

    private final class FirstBytes: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let come: EventLoopPromise<Void>

        init(_ come: EventLoopPromise<Void>) {
            self.come = come
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            come.succeed()
        }

        func channelInactive(context: ChannelHandlerContext) {
            come.fail(ChannelError.eof)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    @Test(
        "SEC-9: connections whose clients read nothing are displaced by a new one of their address",
        .timeLimit(.minutes(10)), arguments: [ServerWay.lane, .socket]
    )
    func givesWay(way: ServerWay) async throws {
        var settings = ConnectionRules.Settings()
        settings.connectionsPerAddress = 3
        settings.countsLoopback = true
        try await TestServer.run(connections: settings, over: way) { server in
            var others: [any Channel] = []
            for _ in 0..<3 { others.append(try await Self.open(to: server)) }
            var isServed = false
            // Until the system takes no more for those others, they are being answered.
            while !isServed {
                try Task.checkCancellation()
                let connection = try await WireConnection.open(to: server)
                isServed = (try? await connection.answer(to: .health)?.status) == 200
                await connection.close()
            }
            for other in others { try? await other.close().get() }
        }
    }
}
