/// Sends reports to all listeners; the newest hundred wait for the first listener, and as many for each slow one.
final class ClientReporter: Sendable {
    static let maximumWaiting = 100

    private struct State {
        var waiting: [ClientReport] = []
        var listeners: [Int: AsyncStream<ClientReport>.Continuation] = [:]
        var numbers = 0
        var isFinished = false
    }

    private let state = Locked(State())

    /// A stream for one listener, because a stream cannot have two. It begins with the reports that no other listener
    /// got.
    func listen() -> AsyncStream<ClientReport> {
        let made = AsyncStream<ClientReport>.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        made.continuation.onTermination = { [state] _ in
            state.withLock { $0.listeners[number] = nil }
        }
        let isFinished = state.withLock { state in
            for report in state.waiting {
                made.continuation.yield(report)
            }
            state.waiting = []
            if !state.isFinished { state.listeners[number] = made.continuation }
            return state.isFinished
        }
        if isFinished { made.continuation.finish() }
        return made.stream
    }

    func report(_ report: ClientReport) {
        state.withLock { state in
            guard state.listeners.isEmpty else {
                for listener in state.listeners.values {
                    listener.yield(report)
                }
                return
            }
            guard !state.isFinished else { return }
            state.waiting.append(report)
            state.waiting.removeFirst(max(0, state.waiting.count - Self.maximumWaiting))
        }
    }

    /// Work that no caller awaits has failed. If it failed because the client was stopped, it is not reported.
    func failed(_ error: BelfryError) {
        switch error.code {
        case .stopped: break
        case .storageUnavailable: report(.storageFailed(error))
        default: report(.callFailed(error))
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners {
            listener.finish()
        }
    }
}
