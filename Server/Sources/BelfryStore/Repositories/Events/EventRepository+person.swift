import BelfryModel
import Foundation

extension EventRepository {
    /// How many events some devices have sent, counted up to a limit.
    package func count(of devices: [Int64], upTo limit: Int) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM events WHERE device_id IN (\(connection.dialect.integers)) LIMIT ?) n
            """,
            [.integers(devices), .integer(limit)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// The events of one person on one device with one name, since a moment, newest first; for a trigger that waits for
    /// the n-th event (IAM-5).
    ///
    /// - Parameter maximumBytes: the bytes of attributes after which no more events are read: each event may have 64
    ///   KiB.
    package func ofPerson(
        _ contact: Int64, device: Int64, named name: EventName, from: Date, limit: Int, maximumBytes: Int
    ) throws -> [(at: Date, attributes: [String: AttributeValue])] {
        var room = ByteRoom(maximumBytes)
        return try connection.query(
            """
            SELECT at, attributes FROM events
            WHERE device_id = ? AND contact_id = ? AND name = ? AND at >= ? ORDER BY at DESC, event_id DESC LIMIT ?
            """,
            [.integer(device), .integer(contact), .text(name.rawValue), .date(from), .integer(limit)],
            texts: [1], in: &room
        ) { (at: $0.date(0), attributes: try StoredAttributes.read($0.text(1))) }
    }

    /// The times of the same events; for callers that need only the number of events and the first time.
    package func momentsOfPerson(
        _ contact: Int64, device: Int64, named name: EventName, from: Date, limit: Int
    ) throws -> [Date] {
        try connection.query(
            """
            SELECT at FROM events
            WHERE device_id = ? AND contact_id = ? AND name = ? AND at >= ? ORDER BY at DESC LIMIT ?
            """,
            [.integer(device), .integer(contact), .text(name.rawValue), .date(from), .integer(limit)]
        ) { $0.date(0) }
    }
}
