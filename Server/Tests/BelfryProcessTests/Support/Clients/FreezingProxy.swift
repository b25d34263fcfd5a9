import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Stands before a database server, which stops to answer when a test says so: connections stay, and nothing passes. What
/// was sent meanwhile is lost.
final class FreezingProxy: Sendable {
    private let isFrozen = Atomic(false)
    private let swallowedBytes = Atomic(0)
    private let channel = Mutex<(any Channel)?>(nil)

    /// Runs one before the server of an address, and ends it however the body ends.
    static func run(
        before address: String, _ body: (FreezingProxy, _ address: String) async throws -> Void
    ) async throws {
        guard var place = URLComponents(string: address), let host = place.host, let port = place.port else {
            throw CallError.noAnswer(call: "the database", reason: "its address has no host or port")
        }
        let proxy = FreezingProxy()
        let channel = try await proxy.bind(before: host, port)
        (place.host, place.port) = ("127.0.0.1", channel.localAddress?.port)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(proxy, place.string ?? ""))
        } catch {
            outcome = .failure(error)
        }
        try await channel.close().get()
        try outcome.get()
    }

    func freeze() {
        isFrozen.store(true, ordering: .relaxed)
    }

    /// From now on everything passes again.
    func thaw() {
        isFrozen.store(false, ordering: .relaxed)
    }

    /// Requests since it was frozen, which will get no response.
    var swallowed: Int { swallowedBytes.load(ordering: .relaxed) }

    /// Whether it forwards anything.
    fileprivate func passes(_ bytes: Int) -> Bool {
        guard isFrozen.load(ordering: .relaxed) else { return true }
        swallowedBytes.add(bytes, ordering: .relaxed)
        return false
    }

    private func bind(before host: String, _ port: Int) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(Passage(to: client, self))
                        }
                    }
                    .connect(host: host, port: port)
                    .flatMap { server in
                        client.eventLoop.makeCompletedFuture {
                            try client.pipeline.syncOperations.addHandler(Passage(to: server, self))
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

/// One end of a connection: received bytes are sent at the other end.
private final class Passage: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let proxy: FreezingProxy

    init(to other: any Channel, _ proxy: FreezingProxy) {
        self.other = other
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if proxy.passes(bytes.readableBytes) { other.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
