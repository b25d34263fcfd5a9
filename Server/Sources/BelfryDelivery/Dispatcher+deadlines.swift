import NIOCore

/// Time-outs: one look at all requests now and then, no timer for each, and none at all while there are no requests.
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
