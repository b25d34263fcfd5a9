import BelfryRules
import Foundation
import GRDB

/// The events that wait to be sent, in the order in which they were tracked.
struct EventTable {
    /// Events that left the queue.
    struct Removal: Sendable {
        static let none = Removal(count: 0, bytes: 0)

        let count: Int
        let bytes: Int
    }

    /// The event that waits longest.
    struct Oldest: Sendable {
        let id: Int64
        let trackedAt: Int64
        let owner: Int
    }

    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    func insert(_ event: QueuedEvent) throws {
        try db.cachedStatement(sql: "INSERT INTO event (owner, tracked_at, bytes, body) VALUES (?, ?, ?, ?)")
            .execute(arguments: [event.owner, event.trackedAt.milliseconds, event.body.count, event.body])
    }

    func remove(_ ids: ClosedRange<Int64>) throws -> Removal {
        let found = try sum(
            "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM event WHERE id BETWEEN ? AND ?",
            [ids.lowerBound, ids.upperBound]
        )
        try db.execute(
            sql: "DELETE FROM event WHERE id BETWEEN ? AND ?",
            arguments: [ids.lowerBound, ids.upperBound]
        )
        return found
    }

    /// All events; it reads the whole queue.
    func backlog() throws -> Removal {
        try sum("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM event", [])
    }

    private func sum(_ sql: StaticString, _ arguments: StatementArguments) throws -> Removal {
        guard let row = try Row.fetchOne(db, sql: sql.description, arguments: arguments) else { return .none }
        return Removal(count: row[0], bytes: row[1])
    }

    func oldest() throws -> Oldest? {
        let statement = try db.cachedStatement(sql: "SELECT id, tracked_at, owner FROM event ORDER BY id LIMIT 1")
        return try Row.fetchOne(statement).map { row in Oldest(id: row[0], trackedAt: row[1], owner: row[2]) }
    }

    /// The next events in order, as many as fit, at least one if any wait.
    func next(_ limit: BatchLimit) throws -> [WaitingEvent] {
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

    /// The highest number of an owner whose events wait. It reads the whole queue.
    func newestOwner() throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT MAX(owner) FROM event")
    }

    /// The last event before the first one that was tracked at a date or later; nil when the queue is empty.
    func last(before date: Date) throws -> Int64? {
        let kept = try Int64.fetchOne(
            db,
            sql: "SELECT id FROM event WHERE tracked_at >= ? ORDER BY id LIMIT 1",
            arguments: [date.milliseconds]
        )
        return try kept.map { $0 - 1 } ?? Int64.fetchOne(db, sql: "SELECT MAX(id) FROM event")
    }

    /// The last of this many of the oldest events.
    func last(of count: Int) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT MAX(id) FROM (SELECT id FROM event ORDER BY id LIMIT ?)",
            arguments: [count]
        )
    }
}
