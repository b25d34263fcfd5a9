import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection of HTTP/1.1 inside of TLS (SEC-1): the same as without it, behind one more handler.
///
/// The bound of silence holds for a handshake as well: nothing that comes before a request's head counts as a sign of
/// life (SEC-2).
package struct SecureChannel: HTTPChannelHandler {
    package typealias Value = ExpressChannel.Value

    let express: ExpressChannel
    /// What a connection that begins now is shown.
    let context: @Sendable () -> NIOSSLContext

    package init(express: ExpressChannel, context: @escaping @Sendable () -> NIOSSLContext) {
        self.express = express
        self.context = context
    }

    package var responder: Responder { express.responder }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: context()))
            try pipeline.addHandler(TLSErrorHandler(logger: logger))
        }
        .flatMap { express.setup(channel: channel, logger: logger) }
    }

    package func handle(value: Value, logger: Logger) async {
        await express.handle(value: value, logger: logger)
    }
}

/// A connection on which TLS fails ends there: nobody could read an answer in HTTP.
final class TLSErrorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown:
            // The client says nothing more, without a goodbye; it may still wait for an answer.
            break
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            logger.debug("TLS failed", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        default:
            context.fireErrorCaught(error)
        }
    }
}
