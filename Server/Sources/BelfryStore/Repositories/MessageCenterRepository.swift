import BelfryModel
import Foundation

/// The message centres of an app (MC-2). The primary one is there without a row.
package struct MessageCenterRepository {
    let connection: any SQLConnection

    /// The primary centre first, then the others as they were made.
    package func all(app: Int64) throws -> [MessageCenter] {
        let stored = try connection.query(
            "SELECT name, label, enabled FROM message_centers WHERE app_id = ? ORDER BY created_at, name",
            [.integer(app)], read
        )
        let primary = stored.first { $0.name.isPrimary } ?? MessageCenter(name: .primary)
        return [primary] + stored.filter { !$0.name.isPrimary }
    }

    package func find(app: Int64, _ name: MessageCenterName) throws -> MessageCenter? {
        let stored = try connection.first(
            "SELECT name, label, enabled FROM message_centers WHERE app_id = ? AND name = ?",
            [.integer(app), .text(name.rawValue)], read
        )
        return stored ?? (name.isPrimary ? MessageCenter(name: .primary) : nil)
    }

    /// Makes the centre, or changes what is there.
    package func save(_ center: MessageCenter, app: Int64, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO message_centers (app_id, name, label, enabled, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (app_id, name) DO UPDATE SET label = excluded.label, enabled = excluded.enabled
            """,
            [
                .integer(app), .text(center.name.rawValue), .optional(center.label), .flag(center.isEnabled),
                .date(now),
            ]
        )
    }

    /// False when there is none. Its messages stay, and nobody sees them.
    package func delete(app: Int64, _ name: MessageCenterName) throws -> Bool {
        let deleted = try connection.execute(
            "DELETE FROM message_centers WHERE app_id = ? AND name = ?", [.integer(app), .text(name.rawValue)]
        )
        return deleted > 0
    }

    /// How many there are beside the primary one.
    package func customCount(app: Int64) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM message_centers WHERE app_id = ? AND name <> ?",
            [.integer(app), .text(MessageCenterName.primary.rawValue)]
        ) { Int($0.integer(0)) } ?? 0
    }

    private func read(_ row: any SQLRow) -> MessageCenter {
        MessageCenter(name: MessageCenterName(stored: row.text(0)), label: row.textIfAny(1), isEnabled: row.flag(2))
    }
}

extension SQLConnection {
    package var messageCenters: MessageCenterRepository { MessageCenterRepository(connection: self) }
}
