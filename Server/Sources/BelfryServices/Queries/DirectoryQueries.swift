import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// What the store knows about one device.
package struct DeviceProfile: Sendable {
    /// What became of a registration, as the layers above hand it on.
    package typealias Registration = ProcessedRegistration

    package let device: DeviceRow
    package let contact: ContactRow?
    /// Whether the app has credentials for the push service of the device's token, or none at all: then it is still being
    /// set up, and only the device counts.
    package let hasCredentials: Bool
    package let badge: Badge
    /// The newest that was processed.
    package let registration: ProcessedRegistration?
    /// The other installations with its id, the newest first: an id is a name and no proof (WIRE-20).
    package let namesakes: [Installation]

    /// - Parameter services: the push services that the app has credentials for.
    init(_ device: DeviceRow, services: Set<PushProvider>, lookup: AppLookup) throws {
        let connection = lookup.connection
        self.device = device
        contact = try device.contact.flatMap(connection.contacts.find(id:))
        hasCredentials = services.isEmpty || device.pushToken.map { services.contains($0.provider) } ?? false
        badge = try connection.badges.find(device: device.id)
        registration = try connection.registrations.newestProcessed(of: device.id)
        namesakes = try lookup.namesakes(of: device)
    }

    package var consent: DeviceConsent { device.consent }

    /// Whether the device gets in-app messages (REG-22): they belong to a contact, and need no token and no opt-in.
    package var inAppEligibility: Eligibility {
        guard contact != nil else { return .ineligible(reason: DeliveryReason.noContact.rawValue) }
        return consent.inAppEligibility
    }

    /// Whether a push may be sent now (REG-22). What only the operator can mend is told when nothing else is in the way.
    package var pushEligibility: Eligibility {
        let eligibility = consent.pushEligibility
        guard eligibility.isEligible, !hasCredentials else { return eligibility }
        return .ineligible(reason: DeliveryReason.noCredentials.rawValue)
    }
}

/// What the store knows about one contact.
package struct ContactProfile: Sendable {
    /// A contact as the layers above hand it on.
    package typealias Contact = ContactRow

    package let contact: ContactRow
    /// Its former keys; the first of them.
    package let aliases: [String]
    package let tags: [String]
    /// The newest of them, the newest first.
    package let devices: [DeviceRow]
    /// Of all of them.
    package let deviceCount: Int
    /// Where each value came from, by attribute.
    package let sources: [String: AttributeSource]
}

/// Looks devices, contacts and events up for people.
package struct DirectoryQueries: Sendable {
    package static let maximumEvents = 1_000
    /// Devices that a contact's profile shows; one that everybody shares may have any number.
    package static let maximumDevices = 100
    /// How many events are read at once to compare their names and attributes, and how often for one answer (ADM-7).
    static let comparedAtOnce = 1_000
    static let maximumComparisons = 10

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter installation: which of those with this id; nil: the one that the id means to people.
    package func device(
        _ id: String, installation: Int64? = nil, app: AppRecord
    ) async throws -> DeviceProfile {
        try await database.read { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            let device = try lookup.device(id, installation: installation)
            return try DeviceProfile(
                device, services: Set(connection.credentials.all(app: app.id).keys), lookup: lookup
            )
        }
    }

    package func contact(_ key: String, app: AppRecord) async throws -> ContactProfile {
        try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            let devices = try connection.devices.ofContact(contact.id, limit: Self.maximumDevices)
            return ContactProfile(
                contact: contact,
                aliases: try connection.contacts.aliases(of: contact.id, known: true, limit: Self.maximumDevices),
                tags: try connection.contacts.tags(of: contact.id),
                devices: devices, deviceCount: try connection.devices.count(ofContact: contact.id),
                sources: try PersonProfile.sources(of: contact, devices, in: connection)
            )
        }
    }

    /// Contacts, newest first, older than the cursor: all but those that went into others, or the orphans (REG-24).
    ///
    /// - Parameter party: only those that this describes (ID-9); orphans are not asked for with it.
    package func contacts(
        app: AppRecord, orphaned: Bool, party: PartySearch? = nil, before cursor: Int64?, limit: Int
    ) async throws -> ContactPage {
        try await database.read { connection in
            if let party {
                return try connection.contacts.list(app: app.id, party: party, before: cursor, limit: limit)
            }
            return try orphaned
                ? connection.contacts.orphans(app: app.id, before: cursor, limit: limit)
                : connection.contacts.list(app: app.id, before: cursor, limit: limit)
        }
    }

    /// A device's events, newest first, and the cursor to go on with.
    ///
    /// - Parameter installation: as of ``device(_:installation:app:)``.
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
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at: Int64 = WholeNumber.read(parts[0]),
            let bytes = Base64URL.decode(String(parts[1])),
            let id = String(validating: bytes, as: UTF8.self), !id.isEmpty
        else {
            throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.")
        }
        return (at, id)
    }

    /// A page of events. Names and attributes are compared here, a bounded number of events at once: a page may hold
    /// fewer than its limit, or none, and still say where to go on.
    private static func eventPage(
        of device: Int64, matching filter: EventFilter, before cursor: (at: Int64, id: String)?, limit: Int,
        in connection: any SQLConnection
    ) throws -> (events: [EventRow], next: (at: Int64, id: String)?) {
        let compares = filter.name != nil || !filter.attributes.isEmpty
        let atOnce = compares ? comparedAtOnce : limit
        var found: [EventRow] = []
        var position = cursor
        for _ in 0..<(compares ? maximumComparisons : 1) {
            let rows = try connection.events.ofDevice(
                device, from: filter.from, to: filter.to, before: position, limit: atOnce
            )
            for row in rows {
                position = (at: row.at.milliseconds, id: row.eventID)
                guard filter.admits(row) else { continue }
                found.append(row)
                if found.count == limit { return (found, position) }
            }
            if rows.count < atOnce { return (found, nil) }
        }
        return (found, position)
    }
}
