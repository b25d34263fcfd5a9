import BelfryPush
import BelfryServerTestSupport
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A push service that does what its script says, frame by frame: HTTP/2 over TLS by swift-nio-http2, which shares
/// nothing with the engine under test.
final class ScriptedPeer: Sendable {
    /// A request that has come whole.
    struct Request: Sendable {
        /// Counted from 1.
        let connection: Int
        let stream: Int
        let headers: [HeaderField]
        let body: [UInt8]

        subscript(name: String) -> String? {
            headers.first { $0.name == name }?.value
        }

        func answer(_ status: Int = 200, _ fields: [HeaderField] = [], body: [UInt8] = []) -> Action {
            .answer(stream: stream, status: status, fields: fields, body: body)
        }
    }

    enum Action: Sendable {
        case answer(stream: Int, status: Int, fields: [HeaderField], body: [UInt8])
        case reset(stream: Int, code: HTTP2ErrorCode)
        case goAway(lastStream: Int)
        case close
        case stopReading
    }

    /// Called on the event loop of the connection.
    typealias Script = @Sendable (Request) -> [Action]

    private struct State {
        var server: (any Channel)?
        var connections: [any Channel] = []
        var resets = 0
    }

    let script: Script
    /// An element for each received PING.
    let pings: AsyncStream<Void>
    private let pinged: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    private init(script: @escaping Script) {
        self.script = script
        let made = AsyncStream<Void>.makeStream()
        pings = made.stream
        pinged = made.continuation
    }

    static func start(
        certificate: TestCertificate,
        protocols: [String] = ["h2"],
        maxConcurrentStreams: Int = 1_000,
        script: @escaping Script
    ) async throws -> ScriptedPeer {
        let tls = try certificate.server(protocols: protocols)
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: maxConcurrentStreams)]
        let peer = ScriptedPeer(script: script)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers: [any ChannelHandler] = [
                        NIOSSLServerHandler(context: tls),
                        NIOHTTP2Handler(mode: .server, initialSettings: settings),
                        PeerHandler(peer: peer, connection: peer.connected(channel)),
                    ]
                    try channel.pipeline.syncOperations.addHandlers(handlers)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        peer.state.withLock { $0.server = server }
        return peer
    }

    func stop() async {
        let (server, connections) = state.withLock { ($0.server, $0.connections) }
        for channel in connections { try? await channel.close().get() }
        try? await server?.close().get()
    }

    var port: Int { state.withLock { $0.server?.localAddress?.port ?? 0 } }
    var connectionCount: Int { state.withLock { $0.connections.count } }
    var resetCount: Int { state.withLock { $0.resets } }

    /// Does something that no request asked for.
    func perform(_ actions: [Action], onConnection number: Int) {
        let channel = state.withLock { $0.connections[number - 1] }
        channel.pipeline.fireUserInboundEventTriggered(PeerHandler.Command(actions: actions))
    }

    private func connected(_ channel: any Channel) -> Int {
        state.withLock { state in
            state.connections.append(channel)
            return state.connections.count
        }
    }

    func notePing() {
        pinged.yield()
    }

    func noteReset() {
        state.withLock { $0.resets += 1 }
    }
}
