import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// An HTTP/1.1 connection over TLS (SEC-1): the same as without TLS, with one more handler.
///
/// The idle limit covers the handshake, too: nothing before a request's head counts as activity (SEC-2).
package struct SecureChannel: HTTPChannelHandler {
    package typealias Value = ExpressChannel.Value

    let express: ExpressChannel
    /// The certificate for a new connection.
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

/// Closes a connection on which TLS fails: the client could not read an HTTP response.
final class TLSErrorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown:
            // The client has closed its side without a TLS message; it may still wait for a response.
            break
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            logger.debug("TLS failed", metadata: ["error": "\(error)"])
            context.close(promise: nil)
        default:
            context.fireErrorCaught(error)
        }
    }
}
