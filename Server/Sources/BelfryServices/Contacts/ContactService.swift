import BelfryModel
import BelfryStore
import Foundation

/// Removes contacts: those that nothing is left of, and those of people who ask for it (REG-24, REG-36).
package struct ContactService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// What an erasure has removed.
    package struct Erasure: Hashable, Sendable {
        /// Names the contact in the audit log, where its key would outlive it.
        package let number: Int64
        package let devices: Int
        package let events: Int
    }

    /// Removes a contact that has no device, no event and no delivery; returns its number, for the audit log.
    package func removeOrphan(_ key: String, app: AppRecord) async throws -> Int64 {
        try await database.write { connection in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            if let ties = try connection.contacts.ties(of: contact.id), !ties.isOrphan {
                throw ServiceError.conflict(message: "Only orphans can be removed; this contact has \(ties.sentence).")
            }
            try connection.contacts.delete(contact.id, app: app.id)
            return contact.id
        }
    }

    /// Removes a person: the contact, its devices and what they sent. The devices are turned away from then on.
    ///
    /// A contact that many devices share goes in several writes, itself with the last: one that breaks off is asked for
    /// again, and goes on where it was.
    package func erase(_ key: String, app: AppRecord) async throws -> Erasure {
        let now = environment.now()
        var (erasure, isDone) = try await database.write { connection -> (erasure: Erasure, isDone: Bool) in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            return try ContactErasure(connection: connection, contact: contact, now: now).step()
        }
        while !isDone {
            let number = erasure.number
            let next = try await database.write { connection -> (erasure: Erasure, isDone: Bool)? in
                guard let contact = try connection.contacts.find(id: number) else { return nil }
                return try ContactErasure(connection: connection, contact: contact, now: now).step()
            }
            erasure = Erasure(
                number: number, devices: erasure.devices + (next?.erasure.devices ?? 0),
                events: erasure.events + (next?.erasure.events ?? 0)
            )
            isDone = next?.isDone ?? true
        }
        return erasure
    }
}

/// One erasure, inside a transaction.
private struct ContactErasure {
    /// Devices that one transaction erases, those that have left among them.
    static let devicesAtOnce = 100

    let connection: any SQLConnection
    let contact: ContactRow
    let now: Date

    /// Erases some devices, and with the last of them the contact.
    func step() throws -> (erasure: ContactService.Erasure, isDone: Bool) {
        // Deliveries keep the anonymous contacts that have become this one.
        let numbers = try [contact.id] + connection.contacts.merged(into: contact.id)
        let devices = try connection.devices.ofContact(contact.id, limit: Self.devicesAtOnce)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: Self.devicesAtOnce - devices.count
        )
        var events = 0
        for device in devices {
            events += try connection.events.delete(of: device.id)
            try connection.deliveries.suppressPending(
                of: device.id, app: contact.app, reason: .erased, now: now
            )
            try forget(numbers, in: device.id)
            try connection.devices.delete(device.id)
        }
        for device in left {
            events += try connection.events.delete(of: device, contact: contact.id)
            try forget(numbers, in: device)
            try forgetRegistrations(of: device, under: numbers)
            try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        }
        try connection.erasedDevices.insert(devices.map(\.client), app: contact.app, now: now)
        let isDone = devices.count + left.count < Self.devicesAtOnce
        if isDone { try connection.contacts.delete(contact.id, app: contact.app) }
        return (ContactService.Erasure(number: contact.id, devices: devices.count, events: events), isDone)
    }

    private func forget(_ contacts: [Int64], in device: Int64) throws {
        for contact in contacts {
            try connection.deliveries.forget(contact: contact, device: device, app: self.contact.app)
            try connection.inAppDeviceStates.erase(device: device, contact: contact)
            try connection.centerMessages.erase(madeFrom: contact, device: device)
        }
    }

    /// A device that has left stays, for others use it; what it said of this person goes.
    private func forgetRegistrations(of id: Int64, under contacts: [Int64]) throws {
        try connection.registrations.deleteFinished(of: id)
        guard var device = try connection.devices.find(id: id) else { return }
        for row in try connection.registrations.waiting(of: id) { try forgetContact(in: row) }
        guard let said = device.applied, contacts.contains(said.contact) else { return }
        device.applied?.attributes = [:]
        try connection.devices.save(device)
    }
}

extension ContactErasure {
    /// What waits was said since the device has the contact that it has now, for what came before was applied when it
    /// left the former one. It keeps what it says of the device; what it says of a contact goes if it names the person.
    fileprivate func forgetContact(in row: RegistrationRow) throws {
        guard var snapshot = try? JSONText.decode(RegistrationSnapshot.self, row.snapshot) else {
            return try connection.registrations.delete(row.id)
        }
        let key = snapshot.contactKey.flatMap { try? ContactKey($0) }
        guard key?.rawValue == contact.key else { return }
        snapshot.contactKey = nil
        snapshot.partyIdentifier = nil
        snapshot.attributes = nil
        snapshot.unreadableAttributes = nil
        snapshot.tags = nil
        try connection.registrations.replace(snapshot: JSONText.encode(snapshot), of: row.id)
    }
}

extension ContactTies {
    /// `a device, events and deliveries`
    fileprivate var sentence: String {
        [devices ? "a device" : nil, events ? "events" : nil, deliveries ? "deliveries" : nil]
            .compactMap(\.self).joined(separator: " and ")
    }
}
