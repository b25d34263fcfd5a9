import BelfryPush
import Logging
import NIOCore

/// Opens connections when requests wait, and gives them up after their time.
extension Dispatcher {
    func connectIfNeeded() {
        guard stopping == nil, !waiting.isEmpty else { return }
        let places = min(settings.connections, 2 * settings.connections - retiring.count) - connections.count
        let opening = connections.count(where: { !$0.isEstablished })
        let wanted = (waiting.count + Self.requestsPerConnection - 1) / Self.requestsPerConnection - opening
        let missing = min(places, wanted)
        guard missing > 0 else { return }
        guard reconnect.notBefore <= eventLoop.now else {
            dispatchLater(at: reconnect.notBefore)
            return
        }
        for _ in 0..<missing {
            let connection = PushConnection(dispatcher: self)
            connections.append(connection)
            openChannels += 1
            connection.open()
        }
    }

    private func dispatchLater(at deadline: NIODeadline) {
        guard reconnectTimer == nil else { return }
        reconnectTimer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.reconnectTimer = nil
            self.dispatch()
        }
    }

    /// A connection has handled all received bytes.
    func readCycleEnded(_ connection: PushConnection) {
        handOver(connection)
        if connection.hasAnswered { reconnect.succeeded() }
        if connection.isDraining { retire(connection) }
        dispatch()
        connection.pump()
    }

    /// The connection takes no more requests; another may be opened instead.
    func retire(_ connection: PushConnection) {
        guard let place = connections.firstIndex(where: { $0 === connection }) else { return }
        connections.remove(at: place)
        retiring.append(connection)
        logger.debug(
            "push connection draining",
            metadata: [
                "endpoint": "\(endpoint)",
                "goAway": "\(connection.goAway.map { String($0.errorCode) } ?? "none")",
            ]
        )
    }

    /// A connection has ended, and so have its requests in flight.
    func connectionEnded(
        _ connection: PushConnection,
        _ failure: TransportFailure,
        _ error: (any Error)?,
        wasEstablished: Bool
    ) {
        connections.removeAll { $0 === connection }
        retiring.removeAll { $0 === connection }
        logger.debug(
            "push connection ended",
            metadata: [
                "endpoint": "\(endpoint)",
                "reason": "\(failure.reason)",
                "error": "\(error.map { String(describing: $0) } ?? "none")",
            ]
        )
        handOver(connection)
        if !connection.hasAnswered {
            reconnect.failed(startedAt: connection.startedAt, now: eventLoop.now, jitter: jitter())
        }
        // No other connection can take the waiting requests: their senders are notified, and may try again.
        if !wasEstablished, connections.isEmpty {
            answer(waiting.removeAll(), .notProcessed(reason: failure.reason))
        }
        dispatch()
        finishStopping()
    }

    func channelClosed() {
        openChannels -= 1
        finishStopping()
    }
}
