import BelfryWire
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A request whose body did not arrive in time.
struct RequestTooSlow: Error {}

/// Stands between a connection and its requests (SEC-2, WIRE-23): a request has a time to arrive in, a body that
/// nobody reads has an end, and what is no HTTP gets an answer in our words.
///
/// How large headers may be, and how long a connection may be silent, is the library's affair; the program sets both.
package final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// From a request's head to the end of its body: 1 MiB over the slowest of mobile networks.
    package static let patience = TimeAmount.seconds(120)
    /// What is thrown away of a body after its refusal; then the connection ends.
    static let maximumBodyBytes = 2 * WireLimits.maximumBodyBytes

    private var isReading = false
    private var bodyBytes = 0
    /// Runs only for a request that did not arrive at once.
    private var timer: Scheduled<Void>?
    private var fault: MalformedRequest?

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            bodyBytes = 0
            if head.method == .connect || head.headerFields.contains(.upgrade) {
                return context.fireChannelRead(wrapInboundOut(.head(Self.last(head))))
            }
        case .body(let part):
            bodyBytes += part.readableBytes
            guard bodyBytes <= Self.maximumBodyBytes else { return context.close(promise: nil) }
        case .end:
            stopReading()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if isReading, timer == nil {
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { self.lost(context) }
        }
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        stopReading()
        switch error {
        case let error as HTTPParserError:
            fault = error == .headerOverflow ? .headersTooLarge : .notHTTP
            context.fireErrorCaught(error)
        case is IOError, is ChannelError:
            context.fireErrorCaught(error)
        default:
            // A method or an address that has no meaning; the library answers to errors of its parser only.
            fault = .notHTTP
            context.fireErrorCaught(HTTPParserError.unknown)
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        stopReading()
        context.fireChannelInactive()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library's own answer has no body; all of ours that refuse have one.
        guard let fault, case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        self.fault = nil
        context.write(wrapOutboundOut(.head(fault.head)), promise: promise)
        context.write(wrapOutboundOut(.body(fault.body)), promise: nil)
    }

    /// Behind a request to upgrade or to connect the decoder reads nothing more, so the connection ends with it.
    private static func last(_ head: HTTPRequest) -> HTTPRequest {
        var head = head
        head.headerFields[.connection] = "close"
        return head
    }

    private func lost(_ context: ChannelHandlerContext) {
        timer = nil
        guard isReading else { return }
        isReading = false
        context.fireErrorCaught(RequestTooSlow())
    }

    private func stopReading() {
        isReading = false
        timer?.cancel()
        timer = nil
    }
}
