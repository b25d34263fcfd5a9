import NIOCore

/// The end of a pool: nothing new, the answers to what is in flight, GOAWAY, close.
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

    /// Tells those who wait for the end when no channel is left.
    func finishStopping() {
        guard let stopped = stopping, openChannels == 0 else { return }
        stopping?.whenDone = []
        stopped.timer?.cancel()
        sweepTimer?.cancel()
        for done in stopped.whenDone { done() }
    }
}
