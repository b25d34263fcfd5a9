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
            let contact = try connection.contact(key, app: app)
            if let ties = try connection.contacts.ties(of: contact.id), !ties.isOrphan {
                throw ServiceError.conflict(message: "Only an orphan is deleted; this contact has \(ties.sentence).")
            }
            try connection.contacts.delete(contact.id, app: app.id)
            return contact.id
        }
    }

    /// Removes a person: the contact, its devices and what they sent. The devices are turned away from then on.
    package func erase(_ key: String, app: AppRecord) async throws -> Erasure {
        let now = environment.now()
        return try await database.write { connection in
            let contact = try connection.contact(key, app: app)
            return try ContactErasure(connection: connection, contact: contact, now: now).run()
        }
    }
}

/// One erasure, inside a transaction.
private struct ContactErasure {
    let connection: any SQLConnection
    let contact: ContactRow
    let now: Date

    func run() throws -> ContactService.Erasure {
        // Deliveries keep the anonymous contacts that have become this one.
        let numbers = try [contact.id] + connection.contacts.merged(into: contact.id)
        let devices = try connection.devices.ofContact(contact.id)
        var events = 0
        for device in devices {
            events += try connection.events.delete(of: device.id)
            try connection.deliveries.suppressPending(
                of: device.id, app: contact.app, reason: .erased, now: now
            )
            try forget(numbers, in: device.id)
            try connection.devices.delete(device.id)
        }
        for device in try connection.formerDevices.all(of: contact.id, app: contact.app) {
            events += try connection.events.delete(of: device, contact: contact.id)
            try forget(numbers, in: device)
            try forgetRegistrations(of: device, under: numbers)
        }
        try connection.erasedDevices.insert(devices.map(\.client), app: contact.app, now: now)
        try connection.contacts.delete(contact.id, app: contact.app)
        return ContactService.Erasure(number: contact.id, devices: devices.count, events: events)
    }

    private func forget(_ contacts: [Int64], in device: Int64) throws {
        for contact in contacts {
            try connection.deliveries.forget(contact: contact, device: device, app: self.contact.app)
        }
    }

    /// A device that has left stays, for others use it; what it said of this person goes.
    private func forgetRegistrations(of id: Int64, under contacts: [Int64]) throws {
        try connection.registrations.deleteFinished(of: id)
        guard var device = try connection.devices.find(id: id), let said = device.applied,
            contacts.contains(said.contact)
        else { return }
        device.applied?.attributes = [:]
        try connection.devices.save(device)
    }
}

extension ContactTies {
    /// `a device, events and deliveries`
    fileprivate var sentence: String {
        [devices ? "a device" : nil, events ? "events" : nil, deliveries ? "deliveries" : nil]
            .compactMap(\.self).joined(separator: " and ")
    }
}

extension SQLConnection {
    func contact(_ key: String, app: AppRecord) throws -> ContactRow {
        guard let contact = try contacts.find(app: app.id, key: key) else {
            throw ServiceError.notFound(what: "contact", id: key)
        }
        return contact
    }
}
