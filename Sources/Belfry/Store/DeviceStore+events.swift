import BelfryRules
import Foundation
import GRDB

/// The queue of events that were tracked and are not sent yet.
extension DeviceStore {
    /// Appends one event to the queue: one statement that commits by itself, the hot path of `track` (PERF-8).
    func append(_ event: QueuedEvent) throws(BelfryError) -> QueueGrowth {
        try access { db in
            guard takesEvents.withLock({ $0 }) else { return QueueGrowth(unchanged: tally.withLock { $0 }) }
            try writing(.event) { try EventTable(db).insert(event) }
            return grown(by: event, in: db)
        }
    }

    /// Appends the event to the queue unless this kind of event was already recorded for the push (PUSH-22). The push
    /// is remembered even while no events are recorded, so that it is shown once.
    ///
    /// - Returns: nil when it was already recorded.
    func append(_ event: QueuedEvent, oncePer sid: String, kind: String) throws(BelfryError) -> QueueGrowth? {
        try access { db in
            let isTaken = takesEvents.withLock { $0 }
            var isNew = false
            try writing(.push) {
                try db.inTransaction {
                    isNew = try PushSeenTable(db).remember(sid, kind: kind)
                    if isNew, isTaken { try EventTable(db).insert(event) }
                    return .commit
                }
            }
            guard isNew else { return nil }
            guard isTaken else { return QueueGrowth(unchanged: tally.withLock { $0 }) }
            return grown(by: event, in: db)
        }
    }

    /// Whether this kind of event was already recorded for the push.
    func remembers(_ sid: String, kind: String) throws(BelfryError) -> Bool {
        try access { db in
            try PushSeenTable(db).remembers(sid, kind: kind)
        }
    }

    /// The size of the queue; the first call counts the backlog.
    func queueStatus() throws(BelfryError) -> QueueStatus {
        try access { db in
            try countBacklog(in: db)
            guard let oldest = try EventTable(db).oldest() else { return QueueStatus() }
            let held = tally.withLock { $0 }
            return QueueStatus(
                count: held.count,
                bytes: held.bytes,
                oldestAt: Date(milliseconds: oldest.trackedAt),
                oldestOwner: oldest.owner
            )
        }
    }

    /// The next events in order, as many as fit, at least one if any wait. They are only copied here, because `track`
    /// waits until the access ends.
    func nextEvents(_ limit: BatchLimit) throws(BelfryError) -> [WaitingEvent] {
        try access { db in
            try EventTable(db).next(limit)
        }
    }

    /// The highest number of an owner whose events still wait; nil when none wait. It reads the whole queue.
    func newestOwner() throws(BelfryError) -> Int? {
        try access { db in
            try EventTable(db).newestOwner()
        }
    }

    /// Drops events that are too old.
    ///
    /// - Returns: how many were dropped.
    func dropEvents(before date: Date) throws(BelfryError) -> Int {
        try access { db in
            guard let oldest = try EventTable(db).oldest(), oldest.trackedAt < date.milliseconds else { return 0 }
            let last = try EventTable(db).last(before: date) ?? oldest.id
            return try drop(oldest.id...last, for: .tooOld, in: db).count
        }
    }

    /// Drops the oldest events when the queue is too full. The backlog of earlier runs is counted only after the start,
    /// so until then the limits are not checked (EVT-5).
    ///
    /// - Returns: how many were dropped.
    func dropSurplus() throws(BelfryError) -> Int {
        try access { db in
            try countBacklog(in: db)
            return try makeRoom(in: db)
        }
    }
}

extension DeviceStore {
    private func countBacklog(in db: Database) throws {
        guard !tally.withLock({ $0.isComplete }) else { return }
        let backlog = try EventTable(db).backlog()
        tally.withLock { $0 = QueueTally(count: backlog.count, bytes: backlog.bytes, isComplete: true) }
    }

    /// Counts the new event, and makes room when the queue is full. The event is already durable: if a removal fails
    /// because of the disk, the caller must not track the event again. The loop makes the room later.
    private func grown(by event: QueuedEvent, in db: Database) -> QueueGrowth {
        let before = tally.withLock { $0 }
        var after = before
        after.add(bytes: event.body.count)
        tally.withLock { $0 = after }
        let dropped = (try? makeRoom(in: db)) ?? 0
        if dropped > 0 { after = tally.withLock { $0 } }
        return QueueGrowth(before: before, after: after, dropped: dropped)
    }

    /// Drops the oldest events while the queue holds more than it may.
    ///
    /// - Returns: how many were dropped.
    func makeRoom(in db: Database) throws -> Int {
        var dropped = 0
        while true {
            let held = tally.withLock { $0 }
            let surplus = limits.overflow(count: held.count, bytes: held.bytes)
            guard surplus > 0, let oldest = try EventTable(db).oldest() else { return dropped }
            let last = try EventTable(db).last(of: surplus) ?? oldest.id
            dropped += try drop(oldest.id...last, for: .queueFull, in: db).count
        }
    }

    private func drop(
        _ ids: ClosedRange<Int64>, for reason: DropReason, in db: Database
    ) throws -> EventTable.Removal {
        var removed = EventTable.Removal.none
        try writing(.removal) {
            try db.inTransaction {
                removed = try EventTable(db).remove(ids)
                try CounterTable(db).add(removed.count, to: reason.rawValue)
                return .commit
            }
        }
        tally.withLock { $0.remove(count: removed.count, bytes: removed.bytes) }
        return removed
    }

    /// Deletes dead letters that were tracked before a date.
    func dropDeadLetters(before date: Date) throws(BelfryError) {
        try access { db in
            let letters = DeadLetterTable(db)
            let old = try letters.tracked(before: date)
            guard !old.isEmpty else { return }
            try writing(.removal) {
                try db.inTransaction {
                    try letters.remove(old)
                    return .commit
                }
            }
        }
    }
}
