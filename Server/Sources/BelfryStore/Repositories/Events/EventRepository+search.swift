import BelfryModel
import Foundation

/// An event with its device and its contact.
package struct SentEvent: Hashable, Sendable {
    package let device: Int64
    /// Nil for an event without a contact.
    package let contact: Int64?
    package let event: EventRow
}

extension EventRepository {
    /// The events that a device sent before a position and since a moment, newest first.
    ///
    /// - Parameter maximumBytes: the bytes of attributes after which no more events are read; the first event is read
    ///   in any case.
    /// - Returns: the events, and whether there may be more.
    package func sent(
        by device: Int64, from: Date?, before place: (at: Int64, id: String), limit: Int, maximumBytes: Int
    ) throws -> (events: [SentEvent], isCut: Bool) {
        var room = ByteRoom(maximumBytes)
        let events = try connection.query(
            """
            SELECT \(EventRow.columns), contact_id FROM events
            WHERE device_id = ? AND (at, event_id) < (?, ?) AND at >= ? ORDER BY at DESC, event_id DESC LIMIT ?
            """,
            [
                .integer(device), .integer(place.at), .text(place.id), .integer(from?.milliseconds ?? .min),
                .integer(limit),
            ],
            texts: [EventRow.Column.attributes.rawValue], in: &room
        ) { row in
            SentEvent(
                device: device, contact: row.optionalInteger(EventRow.Column.columnCount), event: try EventRow(row)
            )
        }
        return (events, room.isCut || events.count == limit)
    }
}

extension DeviceRepository {
    /// The numbers of an app's devices below a given one, dormant ones included, newest first.
    package func numbers(app: Int64, before cursor: Int64, limit: Int) throws -> [Int64] {
        let found = try DeviceTable.both { table in
            try connection.query(
                Self.numbersSQL(in: table, connection.dialect), [.integer(app), .integer(cursor), .integer(limit)]
            ) { $0.integer(0) }
        }
        return Array(found.sorted(by: >).prefix(limit))
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func numbersSQL(in table: DeviceTable, _ dialect: any Dialect) -> SQLText {
        """
        SELECT id FROM \(table.name) WHERE \(dialect.isArgument("app_id")) AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }
}
