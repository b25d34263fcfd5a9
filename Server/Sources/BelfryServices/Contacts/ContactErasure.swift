import BelfryModel
import BelfryStore
import Foundation

/// One erasure (REG-36), in the transactions of ``ContactService``: some devices each, then some of what is left, the
/// contact with the last of it. What one of them does grows with its devices and their rows alone, however many
/// contacts became the person's (SEC-8).
struct ContactErasure {
    /// Devices that one transaction erases, those that have left among them.
    static let devicesAtOnce = 100
    /// Once it has removed so many events, it takes no further device.
    static let eventsAtOnce = 10_000
    /// Rows of each kind that it removes of what belongs to no device.
    static let rowsAtOnce = 1_000

    let connection: any SQLConnection
    let contact: ContactRow
    /// By which number the person was asked for: the contact's, or that of one that went into it.
    let named: Int64
    let now: Date
    /// That of the transaction: each device may have said megabytes, which go with it.
    let time: StepTime

    /// Erases some devices, and behind the last of them what is left with the contact.
    ///
    /// - Parameter receipt: the name of its receipt, if this is the first step.
    func step(receipt: String) throws -> ErasureReceipt {
        let devices = try connection.devices.outlines(ofContact: contact.id, limit: Self.devicesAtOnce)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: Self.devicesAtOnce - devices.count
        )
        var removed = RemovedCounts()
        let erased = try erase(devices, &removed)
        let count = try erased + forget(left, behind: erased, &removed)
        let areAll = count == devices.count + left.count && count < Self.devicesAtOnce
        let isDone = try areAll ? end(&removed) : false
        return try connection.erasures.note(
            removed, of: contact.id, app: contact.app, name: receipt, isDone: isDone, now: now
        )
    }

    /// Devices that the person has go as a whole.
    ///
    /// - Returns: how many of them went; the others are for the next step.
    private func erase(_ devices: [DeviceOutline], _ removed: inout RemovedCounts) throws -> Int {
        var erased: [DeviceOutline] = []
        for device in devices where erased.isEmpty || mayTakeMore(removed) {
            removed.events += try connection.events.delete(of: device.id)
            try connection.deviceDeliveries.suppressPending(
                of: device.id, app: contact.app, reason: .erased, now: now
            )
            removed.messages += try connection.centerMessages.count(of: MessageHolder.installation(device.id).number)
            try connection.registrations.deleteAll(of: device.id)
            erased.append(device)
        }
        let numbers = erased.map(\.id)
        removed.deliveries += try connection.deviceDeliveries.forget(
            person: contact.id, devices: numbers, app: contact.app
        )
        for number in numbers { try connection.devices.delete(number) }
        try connection.erasedDevices.insert(erased.map(\.client), app: contact.app, now: now)
        removed.devices += erased.count
        return erased.count
    }

    /// Devices that have left stay, for others use them; what is the person's goes.
    ///
    /// - Parameter erased: devices that this step has erased before.
    /// - Returns: how many of them are done; the others are for the next step.
    private func forget(_ left: [Int64], behind erased: Int, _ removed: inout RemovedCounts) throws -> Int {
        var devices: [Int64] = []
        for device in left where erased + devices.count == 0 || mayTakeMore(removed) {
            removed.events += try connection.events.delete(of: device, contact: contact.id)
            // Before the ledger forgets for whom they were placed.
            removed.messages += try forgetOwnInbox(of: device)
            try connection.registrations.deleteFinished(of: device)
            devices.append(device)
        }
        try connection.inAppDeviceStates.erase(devices: devices, person: contact.id)
        try connection.centerMessages.erase(madeFromPerson: contact.id, devices: devices)
        removed.deliveries += try connection.deviceDeliveries.forget(
            person: contact.id, devices: devices, app: contact.app
        )
        for device in devices {
            try forgetRegistrations(of: device)
            // What was rehearsed for it may tell of the person whose it was.
            try connection.rehearsals.forget(device: device)
            try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        }
        return devices.count
    }

    /// Whether a step takes a further device.
    private func mayTakeMore(_ removed: RemovedCounts) -> Bool {
        removed.events < Self.eventsAtOnce && !time.isOver
    }

    /// The own inbox of a device that has left stays without what is the person's (MC-15).
    ///
    /// - Returns: how many messages went.
    private func forgetOwnInbox(of device: Int64) throws -> Int {
        let theirs = try PersonsDevice(former: device, of: contact.id, connection: connection).ownInbox()
        return try connection.centerMessages.erase(theirs, of: MessageHolder.installation(device).number)
    }

    /// What a device that has left said of this person, and what waits still, goes.
    private func forgetRegistrations(of id: Int64) throws {
        guard var device = try connection.devices.findAnywhere(id: id) else { return }
        var reached: Int64 = 0
        while true {
            let (waiting, isCut) = try connection.registrations.waiting(of: id, after: reached)
            for row in waiting { try forgetContact(in: row) }
            guard isCut, let last = waiting.last else { break }
            reached = last.id
        }
        guard var applied = device.applied else { return }
        if try connection.contacts.isPart(applied.contact, of: contact.id) { applied.attributes = [:] }
        if let left = applied.left, try connection.contacts.isPart(left.contact, of: contact.id) { applied.left = nil }
        guard applied != device.applied else { return }
        device.applied = applied
        try connection.devices.save(device)
    }

    /// What belongs to no device goes last, and the contact with the end of it.
    ///
    /// - Returns: whether nothing is left.
    private func end(_ removed: inout RemovedCounts) throws -> Bool {
        guard try connection.contacts.deleteParts(of: contact.id, keeping: named, limit: Self.rowsAtOnce) else {
            return false
        }
        removed.messages += try connection.centerMessages.count(of: contact.id)
        try connection.contacts.delete(contact.id, app: contact.app)
        return true
    }
}

extension ContactErasure {
    /// So long after its beginning an erasure in steps keeps devices away that do not belong to the contact, lest
    /// whoever comes and goes prolongs it. One that was interrupted, and that nobody continues, lets them in again.
    private static let isolation: TimeInterval = 3_600

    /// Whether a device may not come to a contact now.
    static func keepsAway(from contact: Int64, at now: Date, in connection: any SQLConnection) throws -> Bool {
        try connection.erasures.isUnderWay(of: contact, since: now.addingTimeInterval(-isolation))
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
    /// Up to which former keys, devices and events are counted: who has more has many.
    package static let counted = 10_000

    package let number: Int64
    package let key: String
    /// One more than are counted if there are more.
    package let aliases: Int
    /// One more than are counted if there are more.
    package let devices: Int
    /// Of the devices that the person has; one more than are counted if there are more.
    package let events: Int
    /// In message centers, and in the own inboxes of devices, as many as one step of an erasure takes.
    package let messages: Int

    init(_ contact: ContactRow, in connection: any SQLConnection) throws {
        number = contact.id
        key = contact.key
        aliases = try connection.contacts.count(mergedInto: contact.id, upTo: Self.counted + 1)
        devices = try connection.devices.count(ofContact: contact.id, upTo: Self.counted + 1)
        let first = try connection.devices.outlines(ofContact: contact.id, limit: ContactErasure.devicesAtOnce)
        events = try connection.events.count(of: first.map(\.id), upTo: Self.counted + 1)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: ContactErasure.devicesAtOnce
        )
        // The inbox of a device that the person has goes with the device, as a whole.
        let holders = [MessageHolder.contact(contact.id)] + first.map { MessageHolder.installation($0.id) }
        let held = try holders.reduce(0) { try $0 + connection.centerMessages.count(of: $1.number) }
        messages = try left.reduce(held) { count, device in
            let former = PersonsDevice(former: device, of: contact.id, connection: connection)
            return try count + former.ownInbox().count
        }
    }
}

extension PersonsDevice {
    /// A device that has left the person: somebody else is known to have it.
    fileprivate init(former device: Int64, of person: Int64, connection: any SQLConnection) {
        self.init(number: device, isSole: false, person: person, connection: connection)
    }
}
