import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Whose events are searched (EVT-7).
package enum EventScope: Hashable, Sendable {
    case everybody
    /// The person's events on all devices that they have or have had.
    case person(PersonReference)
    /// The events of all installations with this id, regardless of the contact at the time.
    case device(String)
}

/// An event that a search found.
package struct FoundEvent: Hashable, Sendable {
    package let at: Date
    /// The time by the device's clock; nil if that clock was right.
    package let deviceAt: Date?
    package let name: String
    package let sentence: String
    package let attributes: [String: AttributeValue]
    package let client: DeviceID?
    /// The number of the contact who caused the event; nil if the device had no contact.
    package let contact: Int64?
    /// The contact's key; nil also for an anonymous contact.
    package let contactKey: String?
}

/// A page of the events that a search found.
package struct FoundEvents: Hashable, Sendable {
    package let events: [FoundEvent]
    /// The cursor of the next page; nil at the end. A page with few events or none may still have a cursor.
    package let cursor: String?
}

extension DirectoryQueries {
    /// How many devices' events are sorted together, newest first.
    package static let eventDevices = 100
    /// The most devices, events and bytes of events that are examined for one page.
    static let maximumEventDevices = 300
    static let maximumComparedEvents = 20_000
    static let maximumComparedBytes = 16 << 20

    /// A page of an app's events by name, time and attributes, newest first (EVT-7).
    ///
    /// The events of all devices are listed for ``eventDevices`` devices at a time, the newest devices first. Events
    /// are stored by device: an index over all of them would make every upload slower (PERF-4).
    package func events(
        _ scope: EventScope, app: AppRecord, matching filter: EventFilter, cursor: String?, limit: Int
    ) async throws -> FoundEvents {
        let place = try cursor.map { text throws(ServiceError) in
            guard let place = EventPlace(text) else {
                throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.")
            }
            return place
        }
        return try await database.read { connection in
            var search = EventSearch(connection: connection, app: app.id, filter: filter, limit: limit)
            let next = try search.look(scope, from: place)
            return FoundEvents(events: try search.shown(), cursor: next?.text)
        }
    }
}

/// A scope of an event search, with the name of its person or device.
package struct NamedEventScope: Hashable, Sendable {
    package let scope: EventScope
    package let name: String
    /// The contact's number.
    package let contact: Int64?
}

extension DirectoryQueries {
    package func eventScope(of person: PersonReference, app: AppRecord) async throws -> NamedEventScope {
        let contact = try await database.read { try AppLookup(connection: $0, app: app.id).person(person) }
        return NamedEventScope(contact)
    }

    /// The scope for a text that is a contact key or a device id; nil if the app has neither.
    package func eventScope(named text: String, app: AppRecord) async throws -> NamedEventScope? {
        try await database.read { connection in
            do {
                return NamedEventScope(try AppLookup(connection: connection, app: app.id).contact(text))
            } catch ServiceError.notFound {
                guard let client = try? DeviceID(text), try connection.devices.find(app: app.id, client: client) != nil
                else { return nil }
                return NamedEventScope(scope: .device(client.rawValue), name: client.rawValue, contact: nil)
            }
        }
    }
}

extension NamedEventScope {
    fileprivate init(_ contact: ContactRow) {
        self.init(scope: .person(.number(contact.id)), name: contact.key, contact: contact.id)
    }
}

/// The position at the end of a page of events: a group of devices, and an event of one of them.
private struct EventPlace: Hashable, Sendable {
    /// The group consists of the next devices before this number.
    let devicesBefore: Int64
    let at: Int64
    let device: Int64
    let id: String

    /// The position before all events of a group of devices.
    init(devicesBefore: Int64, at: Int64 = .max, device: Int64 = .max, id: String = "") {
        self.devicesBefore = devicesBefore
        self.at = at
        self.device = device
        self.id = id
    }

    func behind(_ event: SentEvent) -> EventPlace {
        EventPlace(
            devicesBefore: devicesBefore, at: event.event.at.milliseconds, device: event.device,
            id: event.event.eventID
        )
    }

    /// The position from which the events of a device continue. Of the events at one moment, those of later devices
    /// come first.
    func start(of other: Int64) -> (at: Int64, id: String) {
        if other == device { return (at, id) }
        return (other > device || at == .max ? at : at + 1, "")
    }

    /// Decodes a cursor; nil for a text that is not one.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        guard parts.count == 4, let before = parts[0].flatMap(Self.number), let at = parts[1].flatMap(Self.number),
            let device = parts[2].flatMap(Self.number), let id = parts[3], !id.utf8.contains(0)
        else { return nil }
        self.init(devicesBefore: before, at: at, device: device, id: id)
    }

    private static func number(_ text: String) -> Int64? { WholeNumber.read(text) }

    var text: String { Base64URL.encode(Array("\(devicesBefore):\(at):\(device):\(id)".utf8)) }
}

/// Reads a page of events in one database snapshot.
private struct EventSearch {
    /// How many events of one device are compared at a time.
    private static let comparedAtOnce = 1_000
    /// How many bytes of events are sorted at a time. Each device contributes an equal share, and at least one event.
    private static let bytesAtOnce = 4 << 20

    let connection: any SQLConnection
    let app: Int64
    let filter: EventFilter
    let limit: Int
    private var found: [SentEvent] = []
    private var compared = 0
    private var comparedBytes = 0

    init(connection: any SQLConnection, app: Int64, filter: EventFilter, limit: Int) {
        self.connection = connection
        self.app = app
        self.filter = filter
        self.limit = limit
    }

    /// - Returns: the position from which the search continues; nil at the end.
    mutating func look(_ scope: EventScope, from place: EventPlace?) throws -> EventPlace? {
        let start = place ?? EventPlace(devicesBefore: .max)
        let lookup = AppLookup(connection: connection, app: app)
        switch scope {
        case .everybody:
            return try lookThroughApp(from: start)
        case .person(let reference):
            let contact = try lookup.person(reference)
            let scope = try TimelineReader(
                of: contact, clock: ExplanationClock(now: .distantPast), in: connection
            ).scope
            let (connection, present) = (self.connection, Set(scope.present))
            return try look(through: scope.present + scope.former, from: start) { events in
                let parts = try connection.contactParts.all(
                    of: contact.id, among: Array(Set(events.compactMap(\.contact)))
                )
                return { event in event.contact.map(parts.contains) ?? present.contains(event.device) }
            }
        case .device(let id):
            guard let client = try? DeviceID(id) else { return nil }
            let rows = try connection.devices.outlines(
                app: app, client: client, limit: DirectoryQueries.eventDevices
            )
            return try look(through: rows.map(\.id), from: start) { _ in { _ in true } }
        }
    }

    private mutating func lookThroughApp(from start: EventPlace) throws -> EventPlace? {
        var (place, looked) = (start, 0)
        while true {
            let devices = try connection.devices.numbers(
                app: app, before: place.devicesBefore, limit: DirectoryQueries.eventDevices
            )
            guard let last = devices.last else { return nil }
            if let next = try look(through: devices, from: place, admitting: { _ in { _ in true } }) { return next }
            guard devices.count == DirectoryQueries.eventDevices else { return nil }
            place = EventPlace(devicesBefore: last)
            looked += devices.count
            // When the page is full, the next page starts with the next devices.
            guard looked < DirectoryQueries.maximumEventDevices, found.count < limit else {
                let isEnd = try connection.devices.numbers(app: app, before: last, limit: 1).isEmpty
                return isEnd ? nil : place
            }
        }
    }

    /// Sorts the events of some devices, a bounded number of each device at a time.
    ///
    /// - Parameter admitting: gets the events that were read together, and returns the test for those that match.
    /// - Returns: the position from which the search continues among these devices; nil if they have no more events.
    private mutating func look(
        through devices: [Int64], from start: EventPlace,
        admitting: ([SentEvent]) throws -> (SentEvent) -> Bool
    ) throws -> EventPlace? {
        let isFiltered = filter.name != nil || !filter.attributes.isEmpty
        let atOnce = max(limit + 1, isFiltered ? Self.comparedAtOnce / max(devices.count, 1) : 0)
        var place = start
        while true {
            guard compared < DirectoryQueries.maximumComparedEvents,
                comparedBytes < DirectoryQueries.maximumComparedBytes
            else { return place }
            var (events, unread): ([SentEvent], SentEvent?) = ([], nil)
            for device in devices {
                let (read, isCut) = try connection.events.sent(
                    by: device, from: filter.from, before: before(place.start(of: device)), limit: atOnce,
                    maximumBytes: Self.bytesAtOnce / max(devices.count, 1)
                )
                compared += read.count
                comparedBytes += read.reduce(0) { $0 + $1.event.bytes }
                events += read
                // Events of this device that are older than the last one read are not known yet.
                guard isCut, let last = read.last else { continue }
                unread = unread.map { Self.isNewer($0, last) ? $0 : last } ?? last
            }
            let admits = try admitting(events)
            for event in Self.sorted(events) {
                if let unread, event.device != unread.device, Self.isNewer(unread, event) { break }
                guard admits(event), filter.admits(event.event) else { continue }
                guard found.count < limit else { return found.last.map(place.behind) }
                found.append(event)
            }
            guard let unread else { return nil }
            place = place.behind(unread)
        }
    }

    private func before(_ place: (at: Int64, id: String)) -> (at: Int64, id: String) {
        guard let end = filter.to?.milliseconds, end <= place.at else { return place }
        return (end, "")
    }

    /// The events, newest first. Of the events at one moment, those of later devices come first, and those of one
    /// device keep their order.
    private static func sorted(_ events: [SentEvent]) -> [SentEvent] {
        events.enumerated().sorted { one, other in
            isNewer(one.element, other.element) || (!isNewer(other.element, one.element) && one.offset < other.offset)
        }.map(\.element)
    }

    private static func isNewer(_ one: SentEvent, _ other: SentEvent) -> Bool {
        (one.event.at.milliseconds, one.device) > (other.event.at.milliseconds, other.device)
    }

    /// The events that were found, with the people who caused them.
    func shown() throws -> [FoundEvent] {
        // Reads only keys, because a contact's row may have megabytes.
        var people: [Int64: Int64] = [:]
        for contact in Set(found.compactMap(\.contact)) {
            people[contact] = try connection.contacts.surviving(contact)
        }
        let keys = try connection.contacts.knownKeys(of: Array(Set(people.values)))
        let clients = try connection.rehearsals.clients(of: Array(Set(found.map(\.device))))
        return found.map { sent in
            let (event, person) = (sent.event, sent.contact.flatMap { people[$0] })
            return FoundEvent(
                at: event.at, deviceAt: event.deviceAt, name: event.name, sentence: event.sentence,
                attributes: event.attributes, client: clients[sent.device].map { DeviceID(stored: $0.id) },
                contact: person, contactKey: person.flatMap { keys[$0] }
            )
        }
    }
}
