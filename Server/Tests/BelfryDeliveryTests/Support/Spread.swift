import Synchronization

/// A script that holds its responses back until requests have come on so many connections.
final class Spread: Sendable {
    private struct State {
        var seen: Set<Int> = []
        var held: [ScriptedPeer.Request] = []
    }

    /// Ends when that is so.
    let isReached: AsyncStream<Void>
    private let reached: AsyncStream<Void>.Continuation
    private let connections: Int
    private let state = Mutex(State())

    init(connections: Int) {
        self.connections = connections
        let made = AsyncStream<Void>.makeStream()
        isReached = made.stream
        reached = made.continuation
    }

    func receive(_ request: ScriptedPeer.Request) -> [ScriptedPeer.Action] {
        let isAnswered = state.withLock { state in
            state.seen.insert(request.connection)
            if state.seen.count < connections { state.held.append(request) }
            return state.seen.count == connections
        }
        guard isAnswered else { return [] }
        reached.finish()
        return [request.answer()]
    }

    /// The requests that have yet to be answered.
    func takeHeld() -> [ScriptedPeer.Request] {
        state.withLock { state in
            let held = state.held
            state.held = []
            return held
        }
    }
}
