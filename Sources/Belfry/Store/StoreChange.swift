import BelfryRules
import Foundation

/// An event as it waits in the queue.
struct QueuedEvent: Sendable {
    /// The contact for whom it was tracked, by the device's own number.
    let owner: Int
    let trackedAt: Date
    /// A complete JSON object, but for the `contact`, which is known when it is sent.
    let body: Data
    /// The event once more, when an in-app message waits for one of its name (IAM-5).
    var trigger: TriggerEvent?
}

/// An event of the queue, read to be sent.
struct WaitingEvent: Sendable {
    let id: Int64
    /// The contact for whom it was tracked, by the device's own number.
    let owner: Int
    let body: Data
}

/// The parts of the device's state that are stored, each under its own key.
enum StoredKey: String, Sendable {
    case device
    case record
    case sync
    case session
    case privacy
    case marks
    case display
    case inApp
}

/// What one transaction does: all of it, or nothing.
struct StoreChange: Sendable {
    struct SetAside: Sendable {
        let id: Int64
        let reason: String
    }

    /// What is forgotten before anything else of the change is written (REG-36).
    enum Purge: Sendable {
        /// What was recorded: the queue and what the server refused.
        case events
        /// All that the device remembers.
        case everything
    }

    var purge: Purge?
    /// What it replaces or removes is not to stay in the file's log either (ID-3, ID-4).
    var scrubs = false
    /// From this change on events are taken, or they are not; nil changes nothing.
    var takesEvents: Bool?
    var values: [StoredKey: Data] = [:]
    var events: [QueuedEvent] = []
    /// The rows of the queue that the server has taken, or that are set aside.
    var settled: ClosedRange<Int64>?
    /// Those of the settled that the server refused.
    var setAside: [SetAside] = []
    /// In order.
    var centers: [CenterChange] = []
    /// In order.
    var inApp: [InAppChange] = []

    var isEmpty: Bool {
        purge == nil && takesEvents == nil && values.isEmpty && events.isEmpty && settled == nil && centers.isEmpty
            && inApp.isEmpty
    }
}

/// What the queue holds, counted as events come and go, so that nobody reads the queue to know.
struct QueueTally: Sendable {
    var count = 0
    var bytes = 0
    /// False until the backlog of former runs was counted: after the start, off the calling thread (PERF-9).
    var isComplete = false

    mutating func add(bytes added: Int) {
        count += 1
        bytes += added
    }

    mutating func remove(count removed: Int, bytes size: Int) {
        // Events of the backlog may leave before the backlog was counted.
        count = max(0, count - removed)
        bytes = max(0, bytes - size)
    }
}

/// What the queue held before and after an event came.
struct QueueGrowth: Sendable {
    let before: QueueTally
    let after: QueueTally
    /// How many of the oldest went because the queue was full.
    let dropped: Int
    /// Whether it came: while no events are recorded none does (REG-36).
    var isTaken = true
}

extension QueueGrowth {
    /// The event was not taken.
    init(unchanged tally: QueueTally) {
        self.init(before: tally, after: tally, dropped: 0, isTaken: false)
    }
}
