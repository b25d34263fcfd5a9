import BelfryModel
import Foundation

/// A stored event.
package struct EventRow: Hashable, Sendable {
    package let eventID: String
    package let name: String
    /// The time corrected by the server's clock (EVT-9).
    package let at: Date
    /// The time by the device's clock; nil if it was right.
    package let deviceAt: Date?
    package let attributes: [String: AttributeValue]
    package let kind: String
    package let receivedAt: Date
    package let sessionID: String?
}

extension EventRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case eventID, name, at, deviceAt, attributes, kind, receivedAt, sessionID

        var sql: SQLText {
            switch self {
            case .eventID: "event_id"
            case .name: "name"
            case .at: "at"
            case .deviceAt: "device_at"
            case .attributes: "attributes"
            case .kind: "kind"
            case .receivedAt: "received_at"
            case .sessionID: "session_id"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        self.init(
            eventID: row.text(.eventID), name: row.text(.name), at: row.date(.at),
            deviceAt: row.optionalDate(.deviceAt), attributes: try StoredAttributes.read(row.text(.attributes)),
            kind: row.text(.kind), receivedAt: row.date(.receivedAt), sessionID: row.optionalText(.sessionID)
        )
    }
}

/// An event that a device has sent and that is about to be stored.
package struct NewEvent: Sendable {
    /// The identity of an event: its device and id.
    struct Key: Hashable {
        let device: Int64
        /// The bytes of the id: two ids that are equal in Swift may be different keys.
        let id: [UInt8]

        var arguments: [SQLValue] { [.integer(device), .text(String(decoding: id, as: UTF8.self))] }
    }

    private let device: Int64
    private let id: EventID
    /// The row's values in the order of the table.
    fileprivate let row: [SQLValue]
    let mayBeOfAnotherWeek: Bool

    var key: Key { Key(device: device, id: Array(id.rawValue.utf8)) }

    /// - Parameter at: the event's time by the server's clock (EVT-9).
    package init(_ event: Event, device: Int64, app: Int64, contact: Int64?, at: Date, receivedAt: Date) {
        (self.device, id) = (device, event.id)
        mayBeOfAnotherWeek = EventRepetition.mayBeOfAnotherWeek(
            deviceAt: event.timestamp, at: at, receivedAt: receivedAt
        )
        let deviceAt: Date? = at == event.timestamp ? nil : event.timestamp
        row = [
            .integer(device), .text(event.id.rawValue), .integer(app), .optional(contact), .text(event.kind.rawValue),
            .text(event.name.rawValue), .date(at), .optional(deviceAt), .date(receivedAt), .optional(event.sessionID),
            .text(event.attributes),
        ]
    }
}

package struct EventRepository {
    let connection: any SQLConnection

    /// Stores an event once; false if the device has sent this id before (EVT-3).
    ///
    /// - Parameter at: the event's time by the server's clock (EVT-9).
    package func insert(
        _ event: Event, device: Int64, app: Int64, contact: Int64?, at: Date, receivedAt: Date
    ) throws -> Bool {
        let new = NewEvent(event, device: device, app: app, contact: contact, at: at, receivedAt: receivedAt)
        return try insert([new]).contains(true)
    }

    /// Stores each event once; false for an id that its device has sent before.
    package func insert(_ events: [NewEvent]) throws -> [Bool] {
        let known = try stored(events)
        guard !known.isEmpty else { return try connection.insertNew(Self.insert, events.map(\.row)) }
        let isThere = events.map { known.contains($0.key) }
        let others = zip(events, isThere).filter { !$0.1 }.map { $0.0.row }
        var isNew = try connection.insertNew(Self.insert, others)[...]
        return isThere.map { $0 ? false : isNew.popFirst() ?? false }
    }

    private static let insert = KeyedInsert(
        into: "events",
        [
            .init("device_id", .integer), .init("event_id", .text), .init("app_id", .integer),
            .init("contact_id", .integer), .init("kind", .text), .init("name", .text), .init("at", .integer),
            .init("device_at", .integer), .init("received_at", .integer), .init("session_id", .text),
            .init("attributes", .text),
        ],
        key: [0, 1], isOfPartition: true
    )

    /// A device's events, newest first, older than the cursor; since one moment and before another, if these are given.
    package func ofDevice(
        _ device: Int64, from: Date? = nil, to: Date? = nil, before cursor: (at: Int64, id: String)?, limit: Int
    ) throws -> [EventRow] {
        try ofDevice(device, from: from, to: to, before: cursor, limit: limit, maximumBytes: .max).events
    }

    /// - Parameter maximumBytes: the bytes of attributes after which no more events are read; the first event is read
    ///   in any case.
    /// - Returns: the events, and whether there may be more.
    package func ofDevice(
        _ device: Int64, from: Date?, to: Date?, before cursor: (at: Int64, id: String)?, limit: Int, maximumBytes: Int
    ) throws -> (events: [EventRow], isCut: Bool) {
        // The end of the range is before the first event at that moment.
        let end = (at: to?.milliseconds ?? .max, id: "")
        let position = cursor.map { $0.at < end.at ? $0 : end } ?? end
        var room = ByteRoom(maximumBytes)
        let events = try connection.query(
            Self.listSQL,
            [
                .integer(device), .integer(position.at), .text(position.id),
                .integer(from?.milliseconds ?? .min), .integer(limit),
            ],
            texts: [EventRow.Column.attributes.rawValue], in: &room, EventRow.init
        )
        return (events, room.isCut || events.count == limit)
    }

    /// Its arguments are the device, the position before which the page begins (time and id), the first moment, and the
    /// limit.
    package static let listSQL: SQLText = """
        SELECT \(EventRow.columns) FROM events
        WHERE device_id = ? AND (at, event_id) < (?, ?) AND at >= ? ORDER BY at DESC, event_id DESC LIMIT ?
        """
}

extension SQLConnection {
    package var events: EventRepository { EventRepository(connection: self) }
}

// The events of a call are limited in bytes as well as in number: each may have 64 KiB, and anyone's device can send
// them (SEC-2).

extension [String: AttributeValue] {
    /// Roughly how many bytes the events take.
    package var bytes: Int {
        reduce(0) { sum, entry in
            guard case .string(let text) = entry.value else { return sum + entry.key.utf8.count + 8 }
            return sum + entry.key.utf8.count + text.utf8.count
        }
    }
}

extension EventRow {
    /// Roughly how many bytes the event takes.
    package var bytes: Int { eventID.utf8.count + name.utf8.count + attributes.bytes }
}
