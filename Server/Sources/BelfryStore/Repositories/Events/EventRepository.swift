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
            attributes: try JSONText.decode([String: AttributeValue].self, row.text(.attributes))
        )
    }
}

package struct EventRepository {
    let connection: any SQLConnection

    /// An event to be stored.
    package struct New: Sendable {
        let device: Int64
        let id: EventID
        let app: Int64
        let contact: Int64?
        let kind: Event.Kind
        let name: EventName
        let at: Date
        let deviceAt: Date?
        let receivedAt: Date
        let session: String?
        /// As JSON text.
        let attributes: String

        package init(
            device: Int64, id: EventID, app: Int64, contact: Int64?, kind: Event.Kind, name: EventName, at: Date,
            deviceAt: Date?, receivedAt: Date, session: String?, attributes: String
        ) {
            self.device = device
            self.id = id
            self.app = app
            self.contact = contact
            self.kind = kind
            self.name = name
            self.at = at
            self.deviceAt = deviceAt
            self.receivedAt = receivedAt
            self.session = session
            self.attributes = attributes
        }
    }

    /// Stores an event once; false when the device sent this id before (EVT-3).
    package func insert(_ event: New) throws -> Bool {
        let inserted = try connection.execute(
            """
            INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, device_at, received_at,
                session_id, attributes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (device_id, event_id) DO NOTHING
            """,
            [
                .integer(event.device), .text(event.id.rawValue), .integer(event.app), .optional(event.contact),
                .text(event.kind.rawValue), .text(event.name.rawValue), .date(event.at), .optional(event.deviceAt),
                .date(event.receivedAt), .optional(event.session), .text(event.attributes),
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
