import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Ends a call whose server sends one informational response (1xx) after another. The library drops each of them and
/// would continue to read until the call's deadline (SEC-2).
final class InformationalResponseLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    struct Exceeded: Error {}

    /// The maximum number of informational responses in one call. A server that works properly sends one or two, if
    /// any.
    static let maximum = 16

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard count <= Self.maximum else { return }
        if case .head(let head) = unwrapInboundIn(data), (100..<200).contains(head.status.code) {
            count += 1
            // The library closes the connection. Responses that it has already read are dropped.
            guard count <= Self.maximum else { return context.fireErrorCaught(Exceeded()) }
        }
        context.fireChannelRead(data)
    }
}

extension HTTPClient.Configuration {
    /// Adds the limit to each HTTP/1.1 connection, which carries one call.
    mutating func limitInformationalResponses() {
        http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let place = ChannelPipeline.SynchronousOperations.Position.after(decoder)
                try pipeline.addHandler(InformationalResponseLimit(), position: place)
            }
        }
    }
}
