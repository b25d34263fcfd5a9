import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The connections to one push service: HTTP/2 over TLS, with many requests in flight on few connections (PUSH-4).
///
/// All connections of a pool use one event loop, so that a request needs no lock and no change of thread. One loop
/// handles about 250,000 requests a second; more pools use more loops. A pool must be shut down with `shutdown()`
/// before its event loop is.
package final class PushConnectionPool: Sendable {
    /// The loop on which everything happens, including `onResponse`.
    package let eventLoop: any EventLoop
    private let dispatcher: NIOLoopBoundBox<Dispatcher>
    private let inbox = Mutex<[PushBatch]>([])

    /// Creates a pool without connections: the first request opens one.
    ///
    /// - Parameters:
    ///   - lookups: the threads on which the endpoint's name is looked up.
    ///   - eventLoop: a loop of a `MultiThreadedEventLoopGroup`.
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

    /// - Parameter tls: shared by pools that trust the same certificates.
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

    /// Sends requests, in this order as far as streams are free.
    ///
    /// Each request gets exactly one `onResponse`, in every case, on `eventLoop`, with its index in `requests` and its
    /// result. `onResponse` must be fast; it may call `send` again. Requests without a free stream wait, at most
    /// `DeliverySettings.waitingRequests` of them; any others end as `notProcessed`. When no connection can be opened,
    /// all waiting requests end as `notProcessed`, and later ones wait for the next attempt.
    ///
    /// - Parameter deadline: nil: `DeliverySettings.requestTimeout` until a stream is free, and the same time from
    ///   there to the response.
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
        // Batches that arrive before the loop runs are taken together.
        if isFirst { eventLoop.execute { self.emptyInbox() } }
    }

    /// Sends a few requests and waits for all their results, which are in the order of the requests.
    package func send(_ requests: [PushRequest], deadline: NIODeadline? = nil) async -> [PushResult] {
        guard !requests.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let results = ResultCollector(count: requests.count, continuation: continuation)
            send(requests, deadline: deadline) { index, result in results.receive(index, result) }
        }
    }

    /// The current use of the pool's connections.
    func use() async -> PushConnectionUse {
        await withCheckedContinuation { continuation in
            eventLoop.execute { continuation.resume(returning: self.dispatcher.value.use) }
        }
    }

    /// Takes no new requests, waits for the responses to those in flight, at most `DeliverySettings.shutdownGrace`,
    /// sends GOAWAY and closes. Requests that still wait end as `notProcessed`, those without a response as
    /// `unanswered`.
    package func shutdown() async {
        await withCheckedContinuation { continuation in shutdown { continuation.resume() } }
    }

    /// The same as ``shutdown()``, without waiting. `whenDone` is called on `eventLoop`.
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
