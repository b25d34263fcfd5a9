import BelfryModel
import Foundation

/// An event as it is stored.
package struct EventRow: Hashable, Sendable {
    package let eventID: String
    package let name: String
    /// Corrected by the server's clock (EVT-9).
    package let at: Date
    /// By the device's clock; nil when that was right.
    package let deviceAt: Date?
    package let attributes: [String: AttributeValue]
}

extension EventRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case eventID, name, at, deviceAt, attributes

        var sql: SQLText {
            switch self {
            case .eventID: "event_id"
            case .name: "name"
            case .at: "at"
            case .deviceAt: "device_at"
            case .attributes: "attributes"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        self.init(
            eventID: row.text(.eventID), name: row.text(.name), at: row.date(.at),
            deviceAt: row.optionalDate(.deviceAt),
            attributes: try StoredAttributes.read(row.text(.attributes))
        )
    }
}

package struct EventRepository {
    let connection: any SQLConnection

    /// Stores an event once; false when the device sent this id before (EVT-3).
    ///
    /// - Parameter at: its time by the server's clock (EVT-9).
    package func insert(
        _ event: Event, device: Int64, app: Int64, contact: Int64?, at: Date, receivedAt: Date
    ) throws -> Bool {
        let deviceAt: Date? = at == event.timestamp ? nil : event.timestamp
        let inserted = try connection.execute(
            """
            INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, device_at, received_at,
                session_id, attributes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device_id, event_id) DO NOTHING
            """,
            [
                .integer(device), .text(event.id.rawValue), .integer(app), .optional(contact),
                .text(event.kind.rawValue), .text(event.name.rawValue), .date(at), .optional(deviceAt),
                .date(receivedAt), .optional(event.sessionID), .text(event.attributes),
            ]
        )
        return inserted > 0
    }

    /// Newest first, older than the cursor; of one name, from one moment on and before another, where they are given.
    package func ofDevice(
        _ device: Int64, named name: EventName? = nil, from: Date? = nil, to: Date? = nil,
        before cursor: (at: Int64, id: String)?, limit: Int
    ) throws -> [EventRow] {
        let position = cursor ?? (at: .max, id: "")
        var arguments: [SQLValue] = [
            .integer(device), .integer(position.at), .integer(position.at), .text(position.id),
            .integer(from?.milliseconds ?? .min), .integer(to?.milliseconds ?? .max),
        ]
        if let name { arguments.append(.text(name.rawValue)) }
        arguments.append(.integer(limit))
        return try connection.query(
            """
            SELECT \(EventRow.columns) FROM events
            WHERE device_id = ? AND (at < ? OR (at = ? AND event_id < ?)) AND at >= ? AND at < ?
                \(name == nil ? "" : "AND name = ?")
            ORDER BY at DESC, event_id DESC LIMIT ?
            """,
            arguments, EventRow.init
        )
    }
}

extension SQLConnection {
    package var events: EventRepository { EventRepository(connection: self) }
}
