import Foundation

/// An event as it waits in the queue.
struct QueuedEvent: Sendable {
    /// The contact for whom it was tracked, by the device's own number.
    let owner: Int
    let trackedAt: Date
    /// A complete JSON object, but for the `contact`, which is known when it is sent.
    let body: Data
}

/// The parts of the device's state that are stored, each under its own key.
enum StoredKey: String, Sendable {
    case device
    case record
    case sync
    case session
}

/// What one transaction does: all of it, or nothing.
struct StoreChange: Sendable {
    struct SetAside: Sendable {
        let id: Int64
        let reason: String
    }

    var values: [StoredKey: Data] = [:]
    var events: [QueuedEvent] = []
    /// The rows of the queue that the server has taken, or that are set aside.
    var settled: ClosedRange<Int64>?
    /// Those of the settled that the server refused.
    var setAside: [SetAside] = []

    var isEmpty: Bool {
        values.isEmpty && events.isEmpty && settled == nil
    }
}
