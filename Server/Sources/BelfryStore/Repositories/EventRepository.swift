import BelfryModel
import Foundation

/// An event as it is stored.
package struct EventRow: Hashable, Sendable {
    package let id: Int64
    package let eventID: String
    package let name: String
    package let at: Date
    package let attributes: [String: AttributeValue]
}

package struct EventRepository {
    let connection: any SQLConnection

    /// Stores an event once; false when the device sent this id before (EVT-3).
    package func insert(
        _ event: Event, attributes: String, device: Int64, app: Int64, contact: Int64?, now: Date
    ) throws -> Bool {
        let inserted = try connection.execute(
            """
            INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, session_id,
                attributes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device_id, event_id) DO NOTHING
            """,
            [
                .integer(device), .text(event.id.rawValue), .integer(app), .optional(contact),
                .text(event.kind.rawValue), .text(event.name.rawValue), .date(event.timestamp), .date(now),
                .optional(event.sessionID), .text(attributes),
            ]
        )
        return inserted > 0
    }

    /// Newest first, older than the cursor.
    package func ofDevice(_ device: Int64, before cursor: (at: Int64, id: Int64)?, limit: Int) throws -> [EventRow] {
        let position = cursor ?? (at: .max, id: .max)
        return try connection.query(
            """
            SELECT id, event_id, name, at, attributes FROM events
            WHERE device_id = ? AND (at < ? OR (at = ? AND id < ?)) ORDER BY at DESC, id DESC LIMIT ?
            """,
            [
                .integer(device), .integer(position.at), .integer(position.at), .integer(position.id),
                .integer(limit),
            ]
        ) {
            EventRow(
                id: $0.integer(0), eventID: $0.text(1), name: $0.text(2), at: $0.date(3),
                attributes: try JSONText.decode([String: AttributeValue].self, $0.text(4))
            )
        }
    }
}

extension SQLConnection {
    package var events: EventRepository { EventRepository(connection: self) }
}
