import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What the store knows about one device.
package struct DeviceProfile: Sendable {
    package let device: DeviceRow
    package let contact: ContactRow?

    package var consent: DeviceConsent {
        DeviceConsent(
            hasToken: device.pushToken != nil, pushEnabled: device.pushEnabled ?? true,
            osPushEnabled: device.osPushEnabled, optOut: device.optOut
        )
    }
}

/// What the store knows about one contact.
package struct ContactProfile: Sendable {
    package let contact: ContactRow
    package let tags: [String]
    package let devices: [DeviceRow]
}

/// Looks devices, contacts and events up for people.
package struct Directory: Sendable {
    package static let maximumEvents = 1_000

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    package func device(_ id: String, app: AppRecord) async throws -> DeviceProfile {
        try await database.read { connection in
            let device = try connection.device(id, app: app)
            return DeviceProfile(device: device, contact: try device.contact.flatMap(connection.contacts.find(id:)))
        }
    }

    package func contact(_ key: String, app: AppRecord) async throws -> ContactProfile {
        try await database.read { connection in
            guard let contact = try connection.contacts.find(app: app.id, key: key) else {
                throw ServiceError.notFound(what: "contact", id: key)
            }
            return ContactProfile(
                contact: contact, tags: try connection.contacts.tags(of: contact.id),
                devices: try connection.devices.ofContact(contact.id)
            )
        }
    }

    /// A device's events, newest first, and the cursor to go on with.
    package func events(
        of id: String, app: AppRecord, cursor: String?, limit: Int
    ) async throws -> (events: [EventRow], cursor: String?) {
        let position = try cursor.map(Self.position)
        let events = try await database.read { connection in
            try connection.events.ofDevice(try connection.device(id, app: app).id, before: position, limit: limit)
        }
        guard events.count == limit, let last = events.last else { return (events, nil) }
        return (events, "\(last.at.milliseconds).\(last.id)")
    }

    private static func position(_ cursor: String) throws(ServiceError) -> (at: Int64, id: Int64) {
        // Not a minus: a device's clock may stand before 1970.
        let parts = cursor.split(separator: ".").compactMap { Int64($0) }
        guard parts.count == 2 else {
            throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier answer.")
        }
        return (parts[0], parts[1])
    }
}

extension SQLConnection {
    func device(_ id: String, app: AppRecord) throws -> DeviceRow {
        guard let client = try? DeviceID(id), let device = try devices.find(app: app.id, client: client) else {
            throw ServiceError.notFound(what: "device", id: String(id.prefix(64)))
        }
        return device
    }
}
