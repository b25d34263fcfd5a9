import BelfryModel
import BelfryStore
import Foundation

/// One erasure (REG-36), in the transactions of ``ContactService``: some devices each, the contact with the last of them.
struct ContactErasure {
    /// Devices that one transaction erases, those that have left among them.
    static let devicesAtOnce = 100

    let connection: any SQLConnection
    let contact: ContactRow
    let now: Date

    /// Erases some devices, and with the last of them the contact.
    ///
    /// - Parameter receipt: the name of its receipt, if this is the first step.
    func step(receipt: String) throws -> ErasureReceipt {
        // Deliveries keep the anonymous contacts that have become this one.
        let numbers = try [contact.id] + connection.contacts.merged(into: contact.id)
        let devices = try connection.devices.ofContact(contact.id, limit: Self.devicesAtOnce)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: Self.devicesAtOnce - devices.count
        )
        var removed = RemovedCounts(devices: devices.count)
        for device in devices {
            removed.events += try connection.events.delete(of: device.id)
            try connection.deliveries.suppressPending(
                of: device.id, app: contact.app, reason: .erased, now: now
            )
            removed.deliveries += try forget(numbers, in: device.id)
            removed.messages += try connection.centerMessages.count(of: MessageHolder.installation(device.id).number)
            try connection.devices.delete(device.id)
        }
        for device in left {
            removed.events += try connection.events.delete(of: device, contact: contact.id)
            // Before the ledger forgets for whom they were placed.
            removed.messages += try forgetOwnInbox(numbers, in: device)
            removed.deliveries += try forget(numbers, in: device)
            try forgetRegistrations(of: device, under: numbers)
            // What was rehearsed for it may tell of the person whose it was.
            try connection.rehearsals.forget(device: device)
            try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        }
        try connection.erasedDevices.insert(devices.map(\.client), app: contact.app, now: now)
        let isDone = devices.count + left.count < Self.devicesAtOnce
        if isDone {
            removed.messages += try connection.centerMessages.count(of: contact.id)
            try connection.contacts.delete(contact.id, app: contact.app)
        }
        return try connection.erasures.note(
            removed, of: contact.id, app: contact.app, name: receipt, isDone: isDone, now: now
        )
    }

    /// - Returns: how many rows of the ledger stay without the person.
    private func forget(_ contacts: [Int64], in device: Int64) throws -> Int {
        try contacts.reduce(0) { count, contact in
            try connection.inAppDeviceStates.erase(device: device, contact: contact)
            try connection.centerMessages.erase(madeFrom: contact, device: device)
            return try count + connection.deliveries.forget(contact: contact, device: device, app: self.contact.app)
        }
    }

    /// The own inbox of a device that has left stays without what is the person's (MC-15).
    ///
    /// - Returns: how many messages went.
    private func forgetOwnInbox(_ contacts: [Int64], in device: Int64) throws -> Int {
        let theirs = try PersonsDevice(former: device, contacts: contacts, connection: connection).ownInbox()
        return try connection.centerMessages.erase(theirs, of: MessageHolder.installation(device).number)
    }

    /// A device that has left stays, for others use it; what it said of this person goes.
    private func forgetRegistrations(of id: Int64, under contacts: [Int64]) throws {
        try connection.registrations.deleteFinished(of: id)
        guard var device = try connection.devices.find(id: id) else { return }
        for row in try connection.registrations.waiting(of: id) { try forgetContact(in: row) }
        guard var applied = device.applied else { return }
        if contacts.contains(applied.contact) { applied.attributes = [:] }
        if let left = applied.left, contacts.contains(left.contact) { applied.left = nil }
        guard applied != device.applied else { return }
        device.applied = applied
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
        // A former key names the person, too.
        guard let key = snapshot.contactKey.flatMap({ try? ContactKey($0) }),
            try connection.contacts.number(app: contact.app, key: key.rawValue) == contact.id
        else { return }
        snapshot.contactKey = nil
        snapshot.partyIdentifier = nil
        snapshot.attributes = nil
        snapshot.unreadableAttributes = nil
        snapshot.tags = nil
        try connection.registrations.replace(snapshot: JSONText.encode(snapshot), of: row.id)
    }
}

/// What an erasure of a person would remove.
package struct ErasablePerson: Hashable, Sendable {
    /// Up to which events are counted: who has more has many.
    package static let countedEvents = 10_000

    package let number: Int64
    package let key: String
    package let aliases: Int
    package let devices: Int
    /// Of the devices that the person has; one more than are counted if there are more.
    package let events: Int
    /// In message centers, and in the own inboxes of devices, as many as one step of an erasure takes.
    package let messages: Int

    init(_ contact: ContactRow, in connection: any SQLConnection) throws {
        let merged = try connection.contacts.merged(into: contact.id)
        number = contact.id
        key = contact.key
        aliases = merged.count
        devices = try connection.devices.count(ofContact: contact.id)
        let first = try connection.devices.ofContact(contact.id, limit: ContactErasure.devicesAtOnce)
        events = try connection.events.count(of: first.map(\.id), upTo: Self.countedEvents + 1)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: ContactErasure.devicesAtOnce
        )
        // The inbox of a device that the person has goes with the device, as a whole.
        let holders = [MessageHolder.contact(contact.id)] + first.map { MessageHolder.installation($0.id) }
        let held = try holders.reduce(0) { try $0 + connection.centerMessages.count(of: $1.number) }
        messages = try left.reduce(held) { count, device in
            let former = PersonsDevice(former: device, contacts: [contact.id] + merged, connection: connection)
            return try count + former.ownInbox().count
        }
    }
}

extension PersonsDevice {
    /// A device that has left the person: somebody else is known to have it.
    fileprivate init(former device: Int64, contacts: [Int64], connection: any SQLConnection) {
        self.init(number: device, isSole: false, contacts: contacts, connection: connection)
    }
}
