import BelfryModel
import BelfryRules

/// Passes events that may trigger an in-app message to the engine. It ignores all others, so that an event costs no
/// more than a lookup in a set (PERF-8).
final class TriggerInbox: Sendable {
    /// The maximum number of events that wait for the engine; beyond it the oldest are dropped. Many events in a row
    /// show only one message anyway.
    static let maximumWaiting = 1_000

    private struct State {
        var names: Set<String> = []
        var waiting: [TriggerEvent] = []
    }

    /// Wakes the reader of the events.
    let signal = LoopSignal()
    private let state = Locked(State())

    /// Sets the names of the events for which messages wait.
    func setNames(_ names: Set<String>) {
        state.withLock { $0.names = names }
    }

    /// Whether a message waits for events of this name.
    func awaits(_ name: EventName) -> Bool {
        state.withLock { $0.names.contains(name.rawValue) }
    }

    /// Adds events that are stored, in their order.
    func add(_ events: [TriggerEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.waiting += events
            state.waiting.removeFirst(max(0, state.waiting.count - Self.maximumWaiting))
        }
        signal.wake()
    }

    /// Returns and removes the waiting events.
    func take() -> [TriggerEvent] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
