import BelfryPush
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// Assigns waiting requests to connections and delivers results to the callers: the work of a pool on its event loop.
///
/// Not `Sendable`: everything here happens on `eventLoop`.
final class Dispatcher {
    /// The number of requests that a connection gets at a time, if there are several connections.
    static let share = 64
    /// The number of waiting requests for which another connection is opened.
    static let requestsPerConnection = 100

    /// A shutdown in progress, for which a caller waits.
    struct Stopping {
        var whenDone: [@Sendable () -> Void]
        var timer: Scheduled<Void>?
    }

    let endpoint: PushEndpoint
    /// The name that the certificate must have; nil for an address, which TLS checks by itself.
    let serverName: String?
    let tls: NIOSSLContext
    let settings: DeliverySettings
    /// The threads that look up names.
    let lookups: NIOThreadPool
    let eventLoop: any EventLoop
    let jitter: @Sendable () -> Double
    let logger: Logger

    var waiting: WaitingRequests
    /// Connections that take requests, or will.
    var connections: [PushConnection] = []
    /// Connections that end after their last response.
    var retiring: [PushConnection] = []
    var reconnect: ReconnectSchedule
    /// Channels that are open or being opened.
    var openChannels = 0
    var reconnectTimer: Scheduled<Void>?
    var sweepTimer: Scheduled<Void>?
    var stopping: Stopping?
    private var spare: [EndedRequest] = []
    private var handovers = 0
    private var isDispatching = false
    private var mustDispatchAgain = false

    init(
        endpoint: PushEndpoint,
        tls: NIOSSLContext,
        settings: DeliverySettings,
        lookups: NIOThreadPool,
        eventLoop: any EventLoop,
        jitter: @escaping @Sendable () -> Double,
        logger: Logger
    ) {
        self.endpoint = endpoint
        serverName = (try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)) == nil ? endpoint.host : nil
        self.tls = tls
        self.settings = settings
        self.lookups = lookups
        self.eventLoop = eventLoop
        self.jitter = jitter
        self.logger = logger
        waiting = WaitingRequests(limit: settings.waitingRequests)
        reconnect = ReconnectSchedule(
            firstDelay: settings.reconnectDelay,
            maximumDelay: settings.maximumReconnectDelay
        )
    }

    /// Includes retiring connections, which still wait for responses.
    var use: PushConnectionUse {
        let all = connections + retiring
        return PushConnectionUse(
            connections: all.count(where: \.isEstablished), streams: all.reduce(0) { $0 + $1.inFlight },
            waiting: waiting.count
        )
    }

    // MARK: Requests in

    func enqueue(_ batches: [PushBatch]) {
        for batch in batches { accept(batch) }
        // If results are being delivered, the dispatch follows afterwards: `send` may be called from `onResponse`.
        if handovers == 0 { dispatch() }
    }

    private func accept(_ batch: PushBatch) {
        let deadline = batch.deadline ?? eventLoop.now + settings.requestTimeout
        let accepted = stopping == nil ? waiting.append(batch, deadline: deadline) : 0
        guard accepted < batch.requests.count else { return }
        let reason = stopping == nil ? Reason.tooManyWaiting : TransportFailure.shutDown.reason
        let rejected = WaitingRequests.Span(
            batch: batch,
            next: accepted,
            end: batch.requests.count,
            deadline: deadline
        )
        // Deferred, because `send` may have been called from `onResponse`: this avoids recursion.
        eventLoop.assumeIsolated().execute {
            self.answer([rejected], .notProcessed(reason: reason))
            self.dispatch()
        }
    }

    // MARK: Requests out

    /// Gives each connection as many requests as it has room for, writes them, and opens connections for the rest.
    func dispatch() {
        guard !isDispatching else {
            mustDispatchAgain = true
            return
        }
        isDispatching = true
        repeat {
            mustDispatchAgain = false
            fill()
            for connection in connections where connection.hasUnwritten { connection.pump() }
            connectIfNeeded()
        } while mustDispatchAgain
        isDispatching = false
        sweepLaterIfNeeded()
    }

    private func fill() {
        while !waiting.isEmpty, let connection = roomiest() {
            let share = connections.count == 1 ? connection.room : min(connection.room, Self.share)
            for _ in 0..<share {
                guard let next = waiting.popFirst() else { return }
                guard connection.submit(next) else {
                    waiting.putBack(next)
                    break
                }
            }
        }
    }

    private func roomiest() -> PushConnection? {
        var found: PushConnection?
        var most = 0
        for connection in connections {
            let room = connection.room
            if room > most {
                most = room
                found = connection
            }
        }
        return found
    }

    // MARK: Results

    /// Delivers the requests that have ended on a connection. The caller must dispatch afterwards.
    func handOver(_ connection: PushConnection) {
        var ended: [EndedRequest] = []
        swap(&ended, &spare)
        connection.takeEnded(into: &ended)
        handovers += 1
        for request in ended { request.batch.onResponse(request.index, request.result) }
        handovers -= 1
        ended.removeAll(keepingCapacity: true)
        swap(&ended, &spare)
    }

    /// Gives the same result to requests that were never sent. The caller must dispatch afterwards.
    func answer(_ spans: [WaitingRequests.Span], _ result: PushResult) {
        handovers += 1
        for span in spans {
            for index in span.next..<span.end { span.batch.onResponse(index, result) }
        }
        handovers -= 1
    }
}

/// Time-outs. All requests are checked at intervals, instead of a timer for each, and not at all while there are none.
extension Dispatcher {
    func sweepLaterIfNeeded() {
        guard sweepTimer == nil else { return }
        let hasInFlight = connections.contains(where: \.hasInFlight) || retiring.contains(where: \.hasInFlight)
        guard hasInFlight || !waiting.isEmpty else { return }
        sweepTimer = eventLoop.assumeIsolated().scheduleTask(in: settings.sweepInterval) {
            self.sweepTimer = nil
            self.sweep()
        }
    }

    private func sweep() {
        let now = eventLoop.now
        for connection in connections + retiring {
            connection.expire(at: now)
            handOver(connection)
            if connection.isDraining { retire(connection) }
            connection.pump()
        }
        answer(waiting.removeLate(at: now), .notProcessed(reason: Reason.noStreamInTime))
        dispatch()
    }
}

/// The shutdown of a pool: no new requests, the responses to those in flight, GOAWAY, close.
extension Dispatcher {
    func shutDown(_ whenDone: @escaping @Sendable () -> Void) {
        guard stopping == nil else {
            stopping?.whenDone.append(whenDone)
            finishStopping()
            return
        }
        let timer = eventLoop.assumeIsolated().scheduleTask(in: settings.shutdownGrace) {
            for connection in self.connections + self.retiring { connection.terminate() }
        }
        stopping = Stopping(whenDone: [whenDone], timer: timer)
        reconnectTimer?.cancel()
        answer(waiting.removeAll(), .notProcessed(reason: TransportFailure.shutDown.reason))
        for connection in connections + retiring { connection.drain() }
        finishStopping()
    }

    /// Notifies those who wait for the shutdown when no channel is left.
    func finishStopping() {
        guard let stopped = stopping, openChannels == 0 else { return }
        stopping?.whenDone = []
        stopped.timer?.cancel()
        sweepTimer?.cancel()
        for done in stopped.whenDone { done() }
    }
}
