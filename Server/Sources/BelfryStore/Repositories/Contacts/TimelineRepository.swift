import BelfryModel
import BelfryServerModel
import Foundation

/// A person's history, source by source, newest first (CON-9). Each source reads one page after a position of its own.
package struct TimelineRepository {
    let connection: any SQLConnection

    /// The events that the person's devices sent for the person.
    ///
    /// - Parameter maximumBytes: the bytes of attributes after which no more events are read; the first event is read
    ///   in any case.
    /// - Returns: the events, and whether some were left out because of their size.
    package func events(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int, maximumBytes: Int
    ) throws -> (events: [TimelineEvent], isCut: Bool) {
        guard !connection.dialect.isDistributed else {
            return try eventsInTurn(of: scope, before: place, limit: limit, maximumBytes: maximumBytes)
        }
        let integers = connection.dialect.integers
        let person = ContactRepository.surviving(in: "contact_id")
        var room = ByteRoom(maximumBytes)
        let events = try connection.query(
            """
            SELECT \(EventRow.columns), device_id FROM events
            WHERE device_id IN (\(integers)) AND \(Self.isBefore)
                AND (\(person) = ? OR (contact_id IS NULL AND device_id IN (\(integers))))
            ORDER BY at DESC, device_id DESC, event_id DESC LIMIT ?
            """,
            [.integers(scope.devices)] + place.arguments(1) + [
                .text(place.text), .integer(scope.contact), .integers(scope.present), .integer(limit),
            ],
            texts: [EventRow.Column.attributes.rawValue], in: &room, TimelineEvent.init
        )
        return (events, room.isCut)
    }

    /// The condition that an event comes after a position in a timeline, which goes back in time.
    private static let isBefore: SQLText = "(at < ? OR (at = ? AND (device_id, event_id) < (?, ?)))"

    /// The same where contacts are on other servers than events (FLEET-5): the events are looked through some at a time,
    /// and of each part the contacts that it names are asked for.
    private func eventsInTurn(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int, maximumBytes: Int
    ) throws -> (events: [TimelineEvent], isCut: Bool) {
        let integers = connection.dialect.integers
        let devices = SQLValue.integers(scope.devices)
        var room = ByteRoom(maximumBytes)
        var events: [TimelineEvent] = []
        var start = place
        while events.count < limit, !room.isCut {
            let before = start.arguments(1) + [.text(start.text)]
            let part = try connection.query(
                """
                SELECT at, device_id, event_id, contact_id FROM events
                WHERE device_id IN (\(integers)) AND \(Self.isBefore)
                ORDER BY at DESC, device_id DESC, event_id DESC LIMIT ?
                """,
                [devices] + before + [.integer(PersonRepository.eventsAtOnce)]
            ) { source -> (position: TimelinePosition, contact: Int64?) in
                let row = ResultRow<EventPlace>(source)
                return (
                    position: TimelinePosition(
                        at: row.integer(.at), numbers: [row.integer(.device)], text: row.text(.event)
                    ),
                    contact: row.optionalInteger(.contact)
                )
            }
            guard let last = part.last?.position else { break }
            let named = Set(part.compactMap(\.contact))
            let isTheirs = try connection.contactParts.isPart("contact_id", of: scope.contact, among: Array(named))
            let bounds = before + last.arguments(1) + [.text(last.text)]
            events += try connection.query(
                """
                SELECT \(EventRow.columns), device_id FROM events
                WHERE device_id IN (\(integers)) AND \(Self.isBefore)
                    AND (at > ? OR (at = ? AND (device_id, event_id) >= (?, ?)))
                    AND (\(isTheirs.sql) OR (contact_id IS NULL AND device_id IN (\(integers))))
                ORDER BY at DESC, device_id DESC, event_id DESC LIMIT ?
                """,
                [devices] + bounds + isTheirs.arguments
                    + [.integers(scope.present), .integer(limit - events.count)],
                texts: [EventRow.Column.attributes.rawValue], in: &room, TimelineEvent.init
            )
            guard part.count == PersonRepository.eventsAtOnce else { break }
            start = last
        }
        return (events, room.isCut)
    }

    /// The selected values of an event without its content.
    private enum EventPlace: Int, ResultPlace {
        case at, device, event, contact
    }

    /// The registrations of the person's devices while they belonged to the person. A device's contact is known since
    /// links are recorded; for earlier times, only devices that are not known to have belonged to another person count.
    package func registrations(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int
    ) throws -> [TimelineRegistration] {
        let integers = connection.dialect.integers
        let owner = ContactLinkRepository.owner(of: "r.device_id", at: "r.received_at")
        let person = try isPart("(\(owner))", of: scope)
        let devices = try scope.present + connection.endedInstallations.without(scope.former)
        return try connection.query(
            """
            SELECT \(TimelineRegistration.columns) FROM registrations r
            WHERE r.device_id IN (\(integers)) AND (r.received_at < ? OR (r.received_at = ? AND r.id < ?))
                AND (\(person.sql) OR (r.device_id IN (\(integers)) AND (\(owner)) IS NULL))
            ORDER BY r.received_at DESC, r.id DESC LIMIT ?
            """,
            [.integers(devices)] + place.arguments(1) + person.arguments + [
                .integers(scope.sole), .integer(limit),
            ],
            TimelineRegistration.init
        )
    }

    /// The condition that the contact in an expression, one that the devices have had, is the person's.
    private func isPart(_ owner: SQLText, of scope: TimelineScope) throws -> SQLFragment {
        guard connection.dialect.isDistributed else { return ContactPartRepository.isPart(owner, of: scope.contact) }
        let parts = try connection.contactLinks.parts(of: scope.contact, onDevices: scope.devices)
        return SQLFragment("\(owner) IN (\(connection.dialect.integers))", [.integers(parts.keys.sorted())])
    }

    /// When the person's devices came to the person and left. The query goes by device, since any number of contacts
    /// may have been merged into the person's (SEC-8).
    package func links(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int
    ) throws -> [(position: TimelinePosition, link: ContactLinkRow)] {
        let parts = try connection.contactLinks.parts(of: scope.contact, onDevices: scope.devices)
        guard !parts.isEmpty else { return [] }
        let areTheirs = connection.dialect.isOneOf(scope.devices, "device_id", isFirst: true)
        return try connection.query(
            """
            SELECT \(ContactLinkRow.columns) FROM contact_links
            WHERE \(areTheirs.sql) AND +contact_id IN (\(connection.dialect.integers))
                AND (at < ? OR (at = ? AND (device_id, contact_id, began) < (?, ?, ?)))
            ORDER BY at DESC, device_id DESC, contact_id DESC, began DESC LIMIT ?
            """,
            areTheirs.arguments + [.integers(parts.keys.sorted())] + place.arguments(3) + [.integer(limit)]
        ) { row in
            let found = ResultRow<ContactLinkRow.Column>(row)
            let position = TimelinePosition(
                at: found.integer(.at),
                numbers: [found.integer(.device), found.integer(.contact), found.integer(.began)]
            )
            return (position, try ContactLinkRow(row, parts))
        }
    }
}

/// An event in a timeline.
package struct TimelineEvent: Hashable, Sendable {
    package let position: TimelinePosition
    package let device: Int64
    package let event: EventRow

    /// Reads ``EventRow/columns``, followed by the device.
    init(_ row: any SQLRow) throws {
        event = try EventRow(row)
        device = row.integer(EventRow.Column.columnCount)
        position = TimelinePosition(at: event.at.milliseconds, numbers: [device], text: event.eventID)
    }
}

/// A registration in a timeline: its result, without its content.
package struct TimelineRegistration: Hashable, Sendable {
    package let position: TimelinePosition
    package let device: Int64
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    /// Nil while the registration waits.
    package let processedAt: Date?
}

extension TimelineRegistration {
    /// The columns of `registrations r`.
    static let columns = Column.selectList(of: "r")

    enum Column: Int, ResultColumn {
        case id, device, revision, status, rejected, receivedAt, processedAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .device: "device_id"
            case .revision: "revision"
            case .status: "status"
            case .rejected: "rejected"
            case .receivedAt: "received_at"
            case .processedAt: "processed_at"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let status = ReceiptStatus(rawValue: row.text(.status)) else {
            throw StoreError.corrupted(table: "registrations", key: String(row.integer(.id)))
        }
        self.init(
            position: TimelinePosition(at: row.integer(.receivedAt), numbers: [row.integer(.id)]),
            device: row.integer(.device), revision: row.integer(.revision), status: status,
            rejected: try JSONText.decode([RejectedField].self, row.text(.rejected)),
            processedAt: row.optionalDate(.processedAt)
        )
    }
}

extension SQLConnection {
    package var timelines: TimelineRepository { TimelineRepository(connection: self) }
}
