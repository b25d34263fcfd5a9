import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The connections to one push service: HTTP/2 over TLS, many requests in flight on few connections (PUSH-4).
///
/// All connections of a pool live on one event loop, so that nothing in the way of a request is locked or handed from
/// thread to thread; one loop carries some 250,000 requests a second. More loops are used by more pools. A pool must be
/// shut down with `shutdown()` before its event loop is.
package final class PushConnectionPool: Sendable {
    /// Where everything happens, `onResponse` included.
    package let eventLoop: any EventLoop
    private let dispatcher: NIOLoopBoundBox<Dispatcher>
    private let inbox = Mutex<[PushBatch]>([])

    /// Connects to nobody yet: the first request does.
    ///
    /// - Parameters:
    ///   - lookups: where the endpoint's name is looked up.
    ///   - eventLoop: one of a `MultiThreadedEventLoopGroup`.
    ///   - jitter: random numbers from 0 up to 1, for the delays between attempts to connect.
    package convenience init(
        endpoint: PushEndpoint,
        trust: DeliveryTrust,
        settings: DeliverySettings,
        lookups: NIOThreadPool,
        eventLoop: any EventLoop,
        jitter: @escaping @Sendable () -> Double,
        logger: Logger
    ) throws(DeliveryTrustError) {
        self.init(
            endpoint: endpoint, tls: try trust.makeContext(), settings: settings, lookups: lookups,
            eventLoop: eventLoop, jitter: jitter, logger: logger
        )
    }

    /// - Parameter tls: pools that trust the same certificates share it.
    init(
        endpoint: PushEndpoint,
        tls: NIOSSLContext,
        settings: DeliverySettings,
        lookups: NIOThreadPool,
        eventLoop: any EventLoop,
        jitter: @escaping @Sendable () -> Double,
        logger: Logger
    ) {
        let dispatcher = Dispatcher(
            endpoint: endpoint,
            tls: tls,
            settings: settings,
            lookups: lookups,
            eventLoop: eventLoop,
            jitter: jitter,
            logger: logger
        )
        self.eventLoop = eventLoop
        self.dispatcher = NIOLoopBoundBox.makeBoxSendingValue(dispatcher, eventLoop: eventLoop)
    }

    /// Sends requests, in this order as far as free streams go.
    ///
    /// Each gets exactly one `onResponse`, whatever happens, on `eventLoop`: with its place in `requests` and how it
    /// ended. `onResponse` must be quick; it may call `send` again. Requests that find no free stream wait, at most
    /// `DeliverySettings.waitingRequests` of them; those beyond end as `notProcessed`. So do all that wait when a
    /// connection cannot be had; those that come after wait for the next attempt.
    ///
    /// - Parameter deadline: none for `DeliverySettings.requestTimeout` until a stream is free, and as long from there to
    ///   the answer.
    package func send(
        _ requests: [PushRequest],
        deadline: NIODeadline? = nil,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        guard !requests.isEmpty else { return }
        let batch = PushBatch(requests: requests, deadline: deadline, onResponse: onResponse)
        if eventLoop.inEventLoop {
            dispatcher.value.enqueue([batch])
            return
        }
        let isFirst = inbox.withLock { batches in
            batches.append(batch)
            return batches.count == 1
        }
        // Whoever comes before the loop has looked is taken along.
        if isFirst { eventLoop.execute { self.emptyInbox() } }
    }

    /// Sends few requests and waits for all their results, which come in the order of the requests.
    package func send(_ requests: [PushRequest], deadline: NIODeadline? = nil) async -> [PushResult] {
        guard !requests.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let results = ResultCollector(count: requests.count, continuation: continuation)
            send(requests, deadline: deadline) { index, result in results.receive(index, result) }
        }
    }

    /// What its connections carry now.
    func use() async -> PushConnectionUse {
        await withCheckedContinuation { continuation in
            eventLoop.execute { continuation.resume(returning: self.dispatcher.value.use) }
        }
    }

    /// Takes no new requests, waits for the answers to those in flight, at most `DeliverySettings.shutdownGrace`, says
    /// GOAWAY and closes. Requests that still wait end as `notProcessed`, those without an answer as `unanswered`.
    package func shutdown() async {
        await withCheckedContinuation { continuation in shutdown { continuation.resume() } }
    }

    /// The same for those who do not wait. `whenDone` is called on `eventLoop`.
    func shutdown(_ whenDone: @escaping @Sendable () -> Void) {
        eventLoop.execute { self.dispatcher.value.shutDown(whenDone) }
    }

    private func emptyInbox() {
        let batches = inbox.withLock { batches in
            let all = batches
            batches = []
            return all
        }
        dispatcher.value.enqueue(batches)
    }
}
