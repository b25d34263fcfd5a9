import BelfryModel
import BelfryRules
import Foundation
import GRDB

extension DeviceStore {
    /// Events that left the queue.
    struct Removal: Sendable {
        static let none = Removal(count: 0, bytes: 0)

        let count: Int
        let bytes: Int
    }

    /// Appends one event to the queue: one statement that commits by itself, the hot path of `track` (PERF-8).
    func append(_ event: QueuedEvent) throws(BelfryError) -> QueueGrowth {
        try access { db in
            guard takesEvents.withLock({ $0 }) else { return QueueGrowth(unchanged: tally.withLock { $0 }) }
            try writing(.event) { try Self.insert(event, into: db) }
            return grown(by: event, in: db)
        }
    }

    /// Appends the event to the queue unless this kind of event was already recorded for the push (PUSH-22). While no
    /// events are recorded the push is remembered all the same, so that it is shown once.
    ///
    /// - Returns: nil when it was already recorded.
    func append(_ event: QueuedEvent, oncePer sid: String, kind: String) throws(BelfryError) -> QueueGrowth? {
        try access { db in
            let isTaken = takesEvents.withLock { $0 }
            var isNew = false
            try writing(.push) {
                try db.inTransaction {
                    isNew = try Self.remember(sid, kind: kind, in: db)
                    if isNew, isTaken { try Self.insert(event, into: db) }
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
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM push_seen WHERE sid = ? AND kind = ?)",
                arguments: [sid, kind]
            ) ?? false
        }
    }

    /// The size of the queue; the first call counts the backlog.
    func queueStatus() throws(BelfryError) -> QueueStatus {
        try access { db in
            try countBacklog(in: db)
            guard let oldest = try Self.oldest(in: db) else { return QueueStatus() }
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
    /// waits for the end of an access.
    func nextEvents(_ limit: BatchLimit) throws(BelfryError) -> [WaitingEvent] {
        try access { db in
            var events: [WaitingEvent] = []
            var bytes = 0
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: "SELECT id, owner, body FROM event ORDER BY id LIMIT ?"),
                arguments: [limit.count]
            )
            while let row = try rows.next() {
                let event = WaitingEvent(id: row[0], owner: row[1], body: row[2])
                bytes += event.body.count
                guard events.isEmpty || bytes <= limit.bytes else { break }
                events.append(event)
            }
            return events
        }
    }

    /// The highest number of an owner whose events still wait; nil when none wait. It reads the whole queue.
    func newestOwner() throws(BelfryError) -> Int? {
        try access { db in
            try Int.fetchOne(db, sql: "SELECT MAX(owner) FROM event")
        }
    }

    /// Drops events that are too old.
    ///
    /// - Returns: how many were dropped.
    func dropEvents(before date: Date) throws(BelfryError) -> Int {
        try access { db in
            guard let oldest = try Self.oldest(in: db), oldest.trackedAt < date.milliseconds else { return 0 }
            let kept = try Int64.fetchOne(
                db,
                sql: "SELECT id FROM event WHERE tracked_at >= ? ORDER BY id LIMIT 1",
                arguments: [date.milliseconds]
            )
            let newest = try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM event")
            let last = kept.map { $0 - 1 } ?? newest ?? oldest.id
            return try drop(oldest.id...last, for: .tooOld, in: db).count
        }
    }

    /// Drops the oldest events when the queue is too full: the backlog of former runs is counted only after the start,
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
    static func insert(_ event: QueuedEvent, into db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO event (owner, tracked_at, bytes, body) VALUES (?, ?, ?, ?)")
            .execute(arguments: [event.owner, event.trackedAt.milliseconds, event.body.count, event.body])
    }

    static func remove(_ ids: ClosedRange<Int64>, from db: Database) throws -> Removal {
        let found = try removal(
            "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM event WHERE id BETWEEN ? AND ?",
            arguments: [ids.lowerBound, ids.upperBound],
            in: db
        )
        try db.execute(
            sql: "DELETE FROM event WHERE id BETWEEN ? AND ?",
            arguments: [ids.lowerBound, ids.upperBound]
        )
        return found
    }

    private static func removal(
        _ sql: StaticString,
        arguments: StatementArguments = StatementArguments(),
        in db: Database
    ) throws -> Removal {
        guard let row = try Row.fetchOne(db, sql: sql.description, arguments: arguments) else { return Removal.none }
        let count: Int = row[0]
        let bytes: Int = row[1]
        return Removal(count: count, bytes: bytes)
    }

    private func countBacklog(in db: Database) throws {
        guard !tally.withLock({ $0.isComplete }) else { return }
        let backlog = try Self.removal("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM event", in: db)
        tally.withLock { $0 = QueueTally(count: backlog.count, bytes: backlog.bytes, isComplete: true) }
    }

    private static func oldest(in db: Database) throws -> (id: Int64, trackedAt: Int64, owner: Int)? {
        let statement = try db.cachedStatement(sql: "SELECT id, tracked_at, owner FROM event ORDER BY id LIMIT 1")
        guard let row = try Row.fetchOne(statement) else { return nil }
        let id: Int64 = row[0]
        let trackedAt: Int64 = row[1]
        let owner: Int = row[2]
        return (id, trackedAt, owner)
    }

    /// - Returns: false when it was already remembered.
    private static func remember(_ sid: String, kind: String, in db: Database) throws -> Bool {
        try db.execute(sql: "INSERT OR IGNORE INTO push_seen (sid, kind) VALUES (?, ?)", arguments: [sid, kind])
        guard db.changesCount > 0 else { return false }
        try db.execute(
            sql: "DELETE FROM push_seen WHERE id <= (SELECT MAX(id) FROM push_seen) - ?",
            arguments: [maximumRemembered]
        )
        return true
    }

    /// Counts the new event, and makes room when the queue is full. The event is durable by now: if the disk does not
    /// allow a removal, the caller must not track the event again. The loop makes the room later.
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
            guard surplus > 0, let oldest = try Self.oldest(in: db) else { return dropped }
            let last = try Int64.fetchOne(
                db,
                sql: "SELECT MAX(id) FROM (SELECT id FROM event ORDER BY id LIMIT ?)",
                arguments: [surplus]
            )
            dropped += try drop(oldest.id...(last ?? oldest.id), for: .queueFull, in: db).count
        }
    }

    private func drop(_ ids: ClosedRange<Int64>, for reason: DropReason, in db: Database) throws -> Removal {
        var removed = Removal.none
        try writing(.removal) {
            try db.inTransaction {
                removed = try Self.remove(ids, from: db)
                try Self.count(reason.rawValue, by: removed.count, in: db)
                return .commit
            }
        }
        tally.withLock { $0.remove(count: removed.count, bytes: removed.bytes) }
        return removed
    }
}

/// Dead letters: events that the server refused, kept with the reason for support, within limits of number, size and
/// age (EVT-4).
extension DeviceStore {
    /// The maximum size of all dead letters in bytes; the newest stay.
    static let maximumDeadLetterBytes = 4_194_304

    /// Stores refused events as dead letters; the caller removes them from the queue.
    static func addDeadLetters(_ events: [StoreChange.DeadLetter], in db: Database) throws {
        guard !events.isEmpty else { return }
        for event in events {
            try db.execute(
                sql: "INSERT INTO set_aside (reason, body) SELECT ?, body FROM event WHERE id = ?",
                arguments: [event.reason, event.id]
            )
        }
        try count(CounterName.deadLetters, by: events.count, in: db)
        try db.execute(
            sql: "DELETE FROM set_aside WHERE id <= (SELECT MAX(id) FROM set_aside) - ?",
            arguments: [maximumRemembered]
        )
        try db.execute(
            sql: """
                DELETE FROM set_aside WHERE id <= (
                    SELECT MAX(id) FROM (
                        SELECT id, SUM(LENGTH(body)) OVER (ORDER BY id DESC) AS held FROM set_aside
                    ) WHERE held > ?
                )
                """,
            arguments: [maximumDeadLetterBytes]
        )
    }

    /// Deletes dead letters that were tracked before a date. The date is in the event.
    func dropDeadLetters(before date: Date) throws(BelfryError) {
        try access { db in
            let old = try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM set_aside WHERE CASE WHEN json_valid(CAST(body AS TEXT))
                        THEN json_extract(CAST(body AS TEXT), '$.timestamp') < ? END
                    """,
                arguments: [Timestamp.text(date)]
            )
            guard !old.isEmpty else { return }
            try writing(.removal) {
                try db.inTransaction {
                    for id in old {
                        try db.execute(sql: "DELETE FROM set_aside WHERE id = ?", arguments: [id])
                    }
                    return .commit
                }
            }
        }
    }
}
