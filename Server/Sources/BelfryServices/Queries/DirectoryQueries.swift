import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Finds devices, contacts and events for operators and support.
package struct DirectoryQueries: Sendable {
    package static let maximumEvents = 1_000
    /// How many events are read at a time to compare their names and attributes, and how often that is done for one
    /// response (ADM-7).
    static let comparedAtOnce = 1_000
    static let maximumComparisons = 10
    /// The most bytes of events that are read at a time, and that one page has.
    static let maximumBytesOfEvents = 4 << 20

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter installation: the number of one of the installations with this id; nil for the one that is meant
    ///   when people name the id.
    package func device(
        _ id: String, installation: Int64? = nil, app: AppRecord
    ) async throws -> DeviceProfile {
        try await database.read { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            let device = try lookup.device(id, installation: installation)
            return try DeviceProfile(
                device, of: device.contact.flatMap(connection.contacts.find(id:)),
                services: Set(connection.credentials.all(app: app.id).keys), lookup: lookup
            )
        }
    }

    package func contact(_ key: String, app: AppRecord) async throws -> ContactProfile {
        try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            let limit = ContactProfile.maximumDevices
            let sayers = try connection.devices.ofContact(contact.id, limit: limit) {
                AttributeSayer($0, of: contact)
            }
            return ContactProfile(
                contact: contact,
                aliases: try connection.formerKeys.aliases(of: contact.id, limit: limit),
                tags: try connection.contactTags.list(of: contact.id),
                devices: try connection.devices.outlines(ofContact: contact.id, limit: limit),
                deviceCount: try connection.devices.count(ofContact: contact.id),
                sources: try AttributeSource.all(of: contact, sayers, in: connection)
            )
        }
    }

    /// The profile of a person.
    package func person(_ reference: PersonReference, app: AppRecord) async throws -> PersonProfile {
        try await database.read { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            return try PersonProfile(of: lookup.person(reference), lookup: lookup)
        }
    }

    /// A page of contacts, newest first, older than the cursor: all contacts that were not merged into others, or only
    /// the orphaned ones (REG-24).
    ///
    /// - Parameter party: restricts the list to contacts with this party identifier (ID-9); not combined with
    ///   `orphaned`.
    package func contacts(
        app: AppRecord, orphaned: Bool, party: PartySearch? = nil, before cursor: Int64?, limit: Int
    ) async throws -> ContactPage {
        try await database.read { connection in
            if let party {
                return try connection.contacts.list(app: app.id, party: party, before: cursor, limit: limit)
            }
            return try orphaned
                ? connection.orphanedContacts.list(app: app.id, before: cursor, limit: limit)
                : connection.contacts.list(app: app.id, before: cursor, limit: limit)
        }
    }

    /// A page of a device's events, newest first, and the cursor of the next page.
    ///
    /// - Parameter installation: as for ``device(_:installation:app:)``.
    package func events(
        of id: String, installation: Int64? = nil, app: AppRecord, matching filter: EventFilter = EventFilter(),
        cursor: String?, limit: Int
    ) async throws -> (events: [EventRow], cursor: String?) {
        let position = try cursor.map(Self.position)
        let page = try await database.read { connection in
            let device = try AppLookup(connection: connection, app: app.id).device(id, installation: installation)
            return try Self.eventPage(
                of: device.id, matching: filter, before: position, limit: limit, in: connection
            )
        }
        return (page.events, page.next.map { "\($0.at).\(Base64URL.encode(Array($0.id.utf8)))" })
    }

    private static func position(_ cursor: String) throws(ServiceError) -> (at: Int64, id: String) {
        let parts = cursor.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard parts.count == 2, let at: Int64 = WholeNumber.read(parts[0]),
            let bytes = Base64URL.decode(String(parts[1])),
            let id = String(validating: bytes, as: UTF8.self), !id.isEmpty, !id.utf8.contains(0)
        else {
            throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.")
        }
        return (at, id)
    }

    /// A page of a device's events. Names and attributes are compared here, for a bounded number of events, and a page
    /// has a bounded number of bytes. So a page may have fewer events than its limit, or none, and still have a cursor.
    private static func eventPage(
        of device: Int64, matching filter: EventFilter, before cursor: (at: Int64, id: String)?, limit: Int,
        in connection: any SQLConnection
    ) throws -> (events: [EventRow], next: (at: Int64, id: String)?) {
        let compares = filter.name != nil || !filter.attributes.isEmpty
        let atOnce = compares ? comparedAtOnce : limit
        var found: [EventRow] = []
        var position = cursor
        var bytes = 0
        for _ in 0..<(compares ? maximumComparisons : 1) {
            let (rows, isCut) = try connection.events.ofDevice(
                device, from: filter.from, to: filter.to, before: position, limit: atOnce,
                maximumBytes: maximumBytesOfEvents
            )
            for row in rows {
                position = (at: row.at.milliseconds, id: row.eventID)
                guard filter.admits(row) else { continue }
                found.append(row)
                bytes += row.bytes
                if found.count == limit || bytes >= maximumBytesOfEvents { return (found, position) }
            }
            guard isCut else { return (found, nil) }
        }
        return (found, position)
    }
}
