import BelfryModel
import Foundation

/// The message centers of an app (MC-2). The primary one exists without a row.
package struct MessageCenterRepository {
    private static let columns = Column.selectList

    private enum Column: Int, ResultColumn {
        case name, label, enabled

        var sql: SQLText {
            switch self {
            case .name: "name"
            case .label: "label"
            case .enabled: "enabled"
            }
        }
    }

    let connection: any SQLConnection

    /// The primary center first, then the others in the order of creation.
    package func all(app: Int64) throws -> [MessageCenter] {
        let stored = try connection.query(
            "SELECT \(Self.columns) FROM message_centers WHERE app_id = ? ORDER BY created_at, name",
            [.integer(app)], read
        )
        let primary = stored.first { $0.name.isPrimary } ?? MessageCenter(name: .primary)
        return [primary] + stored.filter { !$0.name.isPrimary }
    }

    /// The enabled message centers, the primary one first.
    package func enabled(app: Int64) throws -> [MessageCenter] {
        try all(app: app).filter(\.isEnabled)
    }

    package func find(app: Int64, _ name: MessageCenterName) throws -> MessageCenter? {
        let stored = try connection.first(
            "SELECT \(Self.columns) FROM message_centers WHERE app_id = ? AND name = ?",
            [.integer(app), .text(name.rawValue)], read
        )
        return stored ?? (name.isPrimary ? MessageCenter(name: .primary) : nil)
    }

    /// Makes the message center, or changes the existing one.
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

    /// Deletes a message center; false if there is none. Its messages stay, but are not visible.
    package func delete(app: Int64, _ name: MessageCenterName) throws -> Bool {
        let deleted = try connection.execute(
            "DELETE FROM message_centers WHERE app_id = ? AND name = ?", [.integer(app), .text(name.rawValue)]
        )
        return deleted > 0
    }

    /// How many message centers there are besides the primary one.
    package func customCount(app: Int64) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM message_centers WHERE app_id = ? AND name <> ?",
            [.integer(app), .text(MessageCenterName.primary.rawValue)]
        ) { Int($0.integer(0)) } ?? 0
    }

    private func read(_ row: any SQLRow) -> MessageCenter {
        let row = ResultRow<Column>(row)
        return MessageCenter(
            name: MessageCenterName(stored: row.text(.name)), label: row.optionalText(.label),
            isEnabled: row.flag(.enabled)
        )
    }
}

extension SQLConnection {
    package var messageCenters: MessageCenterRepository { MessageCenterRepository(connection: self) }
}
