import BelfryRules
import Foundation

/// An event as it waits in the queue.
struct QueuedEvent: Sendable {
    /// The number of the contact for whom it was tracked.
    let owner: Int
    let trackedAt: Date
    /// A complete JSON object, except the `contact`, which is added when the event is sent.
    let body: Data
    /// The event for the triggers, when an in-app message waits for an event of this name (IAM-5).
    var trigger: TriggerEvent?
}

/// A queued event, read to be sent.
struct WaitingEvent: Sendable {
    let id: Int64
    /// The number of the contact for whom it was tracked.
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
    case recipientTags = "marks"
    case display
    case inApp
}

/// The changes of one transaction.
struct StoreChange: Sendable {
    struct DeadLetter: Sendable {
        let id: Int64
        let reason: String
    }

    /// Data that is deleted before the rest of the change is written (REG-36).
    enum Purge: Sendable {
        /// All events: the queue and the dead letters.
        case events
        /// Everything that the device remembers.
        case everything
    }

    var purge: Purge?
    /// Whether removed and replaced data must be removed from the file's log, too (ID-3, ID-4).
    var scrubs = false
    /// Whether events are recorded from this change on; nil changes nothing.
    var takesEvents: Bool?
    var values: [StoredKey: Data] = [:]
    var clockMove: ClockMove?
    var events: [QueuedEvent] = []
    /// The rows of the queue that the server has accepted or refused.
    var settled: ClosedRange<Int64>?
    /// The settled events that the server refused.
    var deadLetters: [DeadLetter] = []
    /// Applied in this order.
    var centers: [MessageCenterStoreChange] = []
    /// Applied in this order.
    var inApp: [InAppChange] = []

    var isEmpty: Bool {
        purge == nil && takesEvents == nil && values.isEmpty && clockMove == nil && events.isEmpty
            && settled == nil && centers.isEmpty && inApp.isEmpty
    }
}

/// The size of the queue, counted as events come and go, so that the queue need not be read to know it.
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

/// The size of the queue before and after an event was appended.
struct QueueGrowth: Sendable {
    let before: QueueTally
    let after: QueueTally
    /// How many of the oldest events were dropped because the queue was full.
    let dropped: Int
    /// Whether the event was appended; while tracking is off, it is not (REG-36).
    var isTaken = true
}

extension QueueGrowth {
    /// For an event that was not appended.
    init(unchanged tally: QueueTally) {
        self.init(before: tally, after: tally, dropped: 0, isTaken: false)
    }
}
