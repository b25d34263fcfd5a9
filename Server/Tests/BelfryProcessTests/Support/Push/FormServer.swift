import BelfryServerTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An authorization server that gives every form the same response.
final class FormServer: Sendable {
    struct Response: Sendable {
        var status = HTTPResponseStatus.ok
        var headers: HTTPHeaders = [:]
        var body = ""
        /// So many informational responses come before it.
        var informational = 0
        /// Byte after byte follows the body, forever.
        var dripsOn = false
    }

    /// The received requests, with their bodies.
    struct Form: Sendable {
        var head: HTTPRequestHead
        var body = ""
    }

    private let forms = Mutex<[Form]>([])
    private let channel = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - certificate: nil: without TLS.
    ///   - answer: nil: none at all.
    static func run<Value>(
        certificate: TestCertificate?, answer: Response?, _ body: (FormServer) async throws -> Value
    ) async throws -> Value {
        let tls = try certificate?.server()
        let server = FormServer()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(FormHandler(server: server, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = channel }
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(server))
        } catch {
            outcome = .failure(error)
        }
        try? await channel.close().get()
        return try outcome.get()
    }

    var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
    var received: [Form] { forms.withLock { $0 } }

    fileprivate func note(_ form: Form) {
        forms.withLock { $0.append(form) }
    }
}

private final class FormHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: FormServer
    private let answer: FormServer.Response?
    private var form: FormServer.Form?

    init(server: FormServer, answer: FormServer.Response?) {
        self.server = server
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            form = FormServer.Form(head: head)
        case .body(let part):
            form?.body += String(buffer: part)
        case .end:
            if let form { server.note(form) }
            guard let answer else { return }
            for _ in 0..<answer.informational {
                context.write(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil
                )
            }
            var head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
            guard !answer.dripsOn else {
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(
                    wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil
                )
                return drip(context)
            }
            head.headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private func drip(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: " ")))), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { self.drip(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
