import BelfryModel
import Foundation
import GRDB

/// What the server refused is kept with its reason, for support, within limits of number, size and age (EVT-4).
extension DeviceStore {
    /// Bytes of all that is set aside together; the newest stay.
    static let maximumAsideBytes = 4_194_304

    /// Moves refused events out of the queue's way; the caller removes them from the queue.
    static func setAside(_ events: [StoreChange.SetAside], in db: Database) throws {
        guard !events.isEmpty else { return }
        for event in events {
            try db.execute(
                sql: "INSERT INTO set_aside (reason, body) SELECT ?, body FROM event WHERE id = ?",
                arguments: [event.reason, event.id]
            )
        }
        try count(CounterName.setAside, by: events.count, in: db)
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
            arguments: [maximumAsideBytes]
        )
    }

    /// Forgets what was tracked before a date. An event says itself when that was.
    func dropSetAside(before date: Date) throws(BelfryError) {
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
