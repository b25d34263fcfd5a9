import BelfryModel
import BelfryRules

/// Events that may show an in-app message, on their way from whoever tracks them to the engine. Of all others it knows
/// nothing, so that an event costs a look into a set and no more (PERF-8).
final class TriggerInbox: Sendable {
    /// Events that wait for the engine; of more the oldest go. Many in a row show one message all the same.
    static let maximumWaiting = 1_000

    private struct State {
        var names: Set<String> = []
        var waiting: [TriggerEvent] = []
    }

    /// Wakes the one who takes them.
    let waker = Waker()
    private let state = Locked(State())

    /// The names that messages wait for from now on.
    func setNames(_ names: Set<String>) {
        state.withLock { $0.names = names }
    }

    /// Whether a message waits for events of this name.
    func awaits(_ name: EventName) -> Bool {
        state.withLock { $0.names.contains(name.rawValue) }
    }

    /// Takes events that are stored, in their order.
    func add(_ events: [TriggerEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.waiting += events
            state.waiting.removeFirst(max(0, state.waiting.count - Self.maximumWaiting))
        }
        waker.wake()
    }

    /// Hands out what waits.
    func take() -> [TriggerEvent] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
