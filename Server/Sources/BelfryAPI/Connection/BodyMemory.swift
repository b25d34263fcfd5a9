import BelfryServices
import Synchronization

/// The memory that all connections share for incomplete requests (SEC-12). A request that arrives in one piece is not
/// counted here.
final class BodyMemory: Sendable {
    private struct State {
        var budget: BodyBudget
        var ends: [UInt64: @Sendable (UInt64) -> Void] = [:]
        var last: UInt64 = 0
    }

    private let state: Mutex<State>
    private let metrics: Metrics

    init(limits: BodyBudget.Limits, metrics: Metrics) {
        state = Mutex(State(budget: BodyBudget(limits: limits)))
        self.metrics = metrics
    }

    /// The bytes that are held at the moment.
    var bytes: (unauthenticated: Int, known: Int) {
        state.withLock { ($0.budget.unauthenticatedBytes, $0.budget.knownBytes) }
    }

    /// Assigns an id to a request that has begun and is incomplete.
    ///
    /// - Parameter end: is called with this id, on any thread, when the request must give up its memory. The connection
    ///   may have begun another request by then.
    func begin(end: @escaping @Sendable (UInt64) -> Void) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.ends[state.last] = end
            return state.last
        }
    }

    /// Records how many bytes of its body the request has received so far; this may end others.
    func hold(_ id: UInt64, bytes: Int, isKnown: Bool) {
        let ends = state.withLock { state -> [(id: UInt64, end: @Sendable (UInt64) -> Void)] in
            guard state.ends[id] != nil else { return [] }
            var ends: [(id: UInt64, end: @Sendable (UInt64) -> Void)] = []
            for id in state.budget.hold(id, bytes: bytes, isKnown: isKnown) {
                if let end = state.ends.removeValue(forKey: id) { ends.append((id, end)) }
            }
            return ends
        }
        guard !ends.isEmpty else { return }
        metrics.add(ends.count, to: "belfry_connections_ended_total{cause=\"bodies\"}")
        for (id, end) in ends { end(id) }
    }

    /// The request is complete, or its connection has ended.
    func release(_ id: UInt64) {
        state.withLock { state in
            state.ends[id] = nil
            state.budget.release(id)
        }
    }
}
