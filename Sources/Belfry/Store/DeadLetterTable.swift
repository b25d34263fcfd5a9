import BelfryModel
import BelfryRules
import Foundation
import GRDB

/// Dead letters: events that the server refused, kept with the reason for support, within limits of number, size and
/// age (EVT-4).
struct DeadLetterTable {
    /// The number of dead letters that are kept; the newest stay.
    static let maximumCount = 2_000
    /// The maximum size of all dead letters in bytes; the newest stay.
    static let maximumBytes = 4_194_304

    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Stores refused events of the queue as dead letters; the caller removes them from the queue.
    func add(_ events: [StoreChange.DeadLetter]) throws {
        guard !events.isEmpty else { return }
        for event in events {
            try db.execute(
                sql: """
                    INSERT INTO set_aside (reason, body, tracked_at) SELECT ?, body, tracked_at FROM event WHERE id = ?
                    """,
                arguments: [event.reason, event.id]
            )
        }
        try CounterTable(db).add(events.count, to: CounterName.deadLetters)
        try db.execute(
            sql: "DELETE FROM set_aside WHERE id <= (SELECT MAX(id) FROM set_aside) - ?",
            arguments: [Self.maximumCount]
        )
        try db.execute(
            sql: """
                DELETE FROM set_aside WHERE id <= (
                    SELECT MAX(id) FROM (
                        SELECT id, SUM(LENGTH(body)) OVER (ORDER BY id DESC) AS held FROM set_aside
                    ) WHERE held > ?
                )
                """,
            arguments: [Self.maximumBytes]
        )
    }

    /// The dead letters that were tracked before a date. Those of earlier versions have no date and are not included.
    func tracked(before date: Date) throws -> [Int64] {
        try Int64.fetchAll(
            db, sql: "SELECT id FROM set_aside WHERE tracked_at < ?", arguments: [date.milliseconds]
        )
    }

    func remove(_ ids: [Int64]) throws {
        for id in ids {
            try db.execute(sql: "DELETE FROM set_aside WHERE id = ?", arguments: [id])
        }
    }
}
