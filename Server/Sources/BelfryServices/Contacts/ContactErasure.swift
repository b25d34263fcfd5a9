import BelfryModel
import BelfryStore
import Foundation

/// One erasure (REG-36), in the transactions of ``ContactService``: some devices in each, then the data without a
/// device, and with the last of it the contact. The cost of a step depends only on its devices and their rows, however
/// many contacts became the person's (SEC-8). A step removes a limited number of rows and bytes of what devices have
/// sent, because each may have sent hundreds of megabytes (SEC-2).
struct ContactErasure {
    /// Where the search for the person's data on former devices continues.
    struct Place: Hashable, Sendable {
        /// The place up to which the person's events were searched.
        var events: EventRemovalPlace?
        /// The place up to which waiting registrations were searched for the person's name.
        var waiting: WaitingPlace?
    }

    /// A registration that waits to be processed.
    struct WaitingPlace: Hashable, Sendable {
        let device: Int64
        let registration: Int64
    }

    /// What a step has removed, and how much more it may remove.
    private struct Removal {
        var removed = RemovedCounts()
        var room = MoveRoom.atOnce
        var place: Place
        /// Whether a device was erased before all that it has sent was removed.
        var leavesWords = false
    }

    /// The most devices that one transaction erases, former devices included.
    static let devicesAtOnce = 100
    /// The number of removed events after which a step takes no further device.
    static let eventsAtOnce = 10_000
    /// The most rows of each kind without a device that a step removes.
    static let rowsAtOnce = 1_000

    let connection: any SQLConnection
    let contact: ContactRow
    /// The number by which the person was named: the contact's, or that of a contact that was merged into it.
    let named: Int64
    let now: Date
    /// The time limit of the transaction: each device may have sent megabytes, which are removed in it.
    let time: StepTime
    /// Where the step before this one ended.
    let place: Place

    /// Erases some devices, and after the last of them the contact's other data.
    ///
    /// - Parameter receipt: the name of the receipt, if this is the first step.
    /// - Returns: the receipt, and where the next step continues.
    func step(receipt: String) throws -> (receipt: ErasureReceipt, place: Place) {
        let devices = try connection.devices.outlines(ofContact: contact.id, limit: Self.devicesAtOnce)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: Self.devicesAtOnce - devices.count
        )
        var removal = Removal(place: place)
        let erased = try erase(devices, &removal)
        let count = try erased + forget(left, behind: erased, &removal)
        let areAll = count == devices.count + left.count && count < Self.devicesAtOnce && !removal.leavesWords
        let isDone = try areAll ? end(&removal) : false
        let receipt = try connection.erasures.note(
            removal.removed, of: contact.id, app: contact.app, name: receipt, isDone: isDone, now: now
        )
        return (receipt, removal.place)
    }

    /// Erases devices that the person has. From then on they are turned away, and are in no audience and no list. If a
    /// device has sent more than there is room for, it becomes a former device, and a later step removes the rest.
    ///
    /// - Returns: how many of the devices were erased; the others are left to the next step.
    private func erase(_ devices: [DeviceOutline], _ removal: inout Removal) throws -> Int {
        var erased: [DeviceOutline] = []
        var unfinished: [Int64] = []
        for device in devices where erased.isEmpty || mayTakeMore(removal) {
            try connection.deviceDeliveries.suppressPending(
                of: device.id, app: contact.app, reason: .erased, now: now
            )
            try connection.eventMoves.deleteAll(of: device.id)
            if try !removeWords(of: device.id, &removal) { unfinished.append(device.id) }
            erased.append(device)
        }
        let numbers = erased.map(\.id)
        removal.removed.deliveries += try connection.deviceDeliveries.forget(
            person: contact.id, devices: numbers, app: contact.app
        )
        for number in numbers { try connection.devices.delete(number) }
        try connection.erasedDevices.insert(erased.map(\.client), app: contact.app, now: now)
        for number in unfinished {
            try connection.formerDevices.insert(number, of: contact.id, app: contact.app)
        }
        removal.leavesWords = !unfinished.isEmpty
        removal.removed.devices += erased.count
        return erased.count
    }

    /// Removes the person's data from former devices, which stay because others use them. From deleted devices it
    /// removes everything.
    ///
    /// - Parameter erased: the number of devices that this step has erased before.
    /// - Returns: how many of the devices are done; the others are left to the next step.
    private func forget(_ left: [Int64], behind erased: Int, _ removal: inout Removal) throws -> Int {
        var devices: [Int64] = []
        for device in left where erased + devices.count == 0 || mayTakeMore(removal) {
            let isGone = try connection.devices.findAnywhere(id: device) == nil
            // Before the ledger loses the holders of the placed messages.
            let isDone = try isGone ? removeWords(of: device, &removal) : removeWordsOfPerson(on: device, &removal)
            guard isDone else { break }
            devices.append(device)
        }
        try connection.inAppDeviceStates.erase(devices: devices, person: contact.id)
        try connection.centerMessages.erase(madeFromPerson: contact.id, devices: devices)
        removal.removed.deliveries += try connection.deviceDeliveries.forget(
            person: contact.id, devices: devices, app: contact.app
        )
        for device in devices {
            try forgetApplied(of: device)
            // A rehearsal's result for the device may tell something about the person.
            try connection.rehearsals.forget(device: device)
            try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        }
        return devices.count
    }

    /// Whether a step has room for a further device.
    private func mayTakeMore(_ removal: Removal) -> Bool {
        removal.removed.events < Self.eventsAtOnce && !removal.room.isFull && !time.isOver
    }

    /// Removes what an erased device has sent and registered, from all its contacts, and its own inbox.
    ///
    /// - Returns: whether nothing is left.
    private func removeWords(of device: Int64, _ removal: inout Removal) throws -> Bool {
        let events = try connection.events.deleteSome(of: device, in: &removal.room)
        removal.removed.events += events.count
        let inbox = try connection.centerMessages.eraseSome(
            of: MessageHolder.installation(device).number, in: &removal.room
        )
        removal.removed.messages += inbox.count
        let areRegistrationsGone = try connection.registrations.deleteSome(of: device, in: &removal.room)
        return events.areAll && inbox.areAll && areRegistrationsGone
    }

    /// Removes the person's data from a former device: messages in its own inbox, which stays without them (MC-15),
    /// registrations, the name in waiting registrations, and events. The last two must be searched, so they come last;
    /// what was searched already is not searched again.
    ///
    /// - Returns: whether nothing is left.
    private func removeWordsOfPerson(on device: Int64, _ removal: inout Removal) throws -> Bool {
        let theirs = try PersonsDevice(former: device, of: contact.id, connection: connection).ownInbox()
        let inbox = try connection.centerMessages.eraseSome(
            of: MessageHolder.installation(device).number, only: theirs, in: &removal.room
        )
        removal.removed.messages += inbox.count
        guard inbox.areAll, try connection.registrations.deleteSome(of: device, .finished, in: &removal.room),
            try forgetWaiting(of: device, &removal.place)
        else { return false }
        let events = try connection.events.deleteSome(
            of: device, contact: contact.id, from: removal.place.events, in: &removal.room
        )
        removal.removed.events += events.count
        removal.place.events = events.next
        return events.next == nil
    }

    /// Removes the person from the next waiting registrations of a former device; there may be very many (SEC-2).
    ///
    /// - Returns: whether no registration is left to search.
    private func forgetWaiting(of device: Int64, _ place: inout Place) throws -> Bool {
        var reached: Int64 = 0
        if let waiting = place.waiting, waiting.device == device { reached = waiting.registration }
        let limit = EventMoveRepository.registrationsAtOnce
        let (rows, isCut) = try connection.registrations.waiting(of: device, after: reached, limit: limit)
        for row in rows { try forgetContact(in: row) }
        guard let last = rows.last else { return true }
        place.waiting = WaitingPlace(device: device, registration: last.id)
        return !isCut && rows.count < limit
    }

    /// Removes what a former device has registered last about this person.
    private func forgetApplied(of id: Int64) throws {
        guard var device = try connection.devices.findAnywhere(id: id), var applied = device.applied else { return }
        let parts = connection.contactParts
        if try parts.isPart(applied.contact, of: contact.id) { applied.attributes = [:] }
        if let left = applied.left, try parts.isPart(left.contact, of: contact.id) { applied.left = nil }
        guard applied != device.applied else { return }
        device.applied = applied
        try connection.devices.save(device)
    }

    /// Removes the data without a device, and at the end of it the contact.
    ///
    /// - Returns: whether nothing is left.
    private func end(_ removal: inout Removal) throws -> Bool {
        guard try connection.contacts.deleteParts(of: contact.id, keeping: named, limit: Self.rowsAtOnce) else {
            return false
        }
        let messages = try connection.centerMessages.eraseSome(of: contact.id, in: &removal.room)
        removal.removed.messages += messages.count
        guard messages.areAll else { return false }
        try connection.contacts.delete(contact.id, app: contact.app)
        return true
    }
}

extension ContactErasure {
    /// Seconds after its start for which an erasure in steps keeps new devices away from the contact, so that they
    /// cannot prolong it. After an interrupted erasure that nobody continues, devices may come again.
    private static let isolation: TimeInterval = 3_600

    /// Whether a device may not be linked to a contact now, because the contact is being erased.
    static func keepsAway(from contact: Int64, at now: Date, in connection: any SQLConnection) throws -> Bool {
        try connection.erasures.isUnderWay(of: contact, since: now.addingTimeInterval(-isolation))
    }
}

extension ContactErasure {
    /// Removes the person from a waiting registration. The registration belongs to the device's present contact,
    /// because earlier ones were applied when the device left the former contact. So it keeps what it says about the
    /// device, and loses what it says about a contact if it names the person.
    fileprivate func forgetContact(in row: RegistrationRow) throws {
        guard var snapshot = try? JSONText.decode(RegistrationSnapshot.self, row.snapshot) else {
            return try connection.registrations.delete(row.key)
        }
        // A former key names the person as well.
        guard let key = snapshot.contactKey.flatMap({ try? ContactKey($0) }),
            try connection.contacts.number(app: contact.app, key: key.rawValue) == contact.id
        else { return }
        snapshot.contactKey = nil
        snapshot.partyIdentifier = nil
        snapshot.attributes = nil
        snapshot.unreadableAttributes = nil
        snapshot.tags = nil
        try connection.registrations.replace(snapshot: JSONText.encode(snapshot), of: row.key)
    }
}

/// What an erasure of a person would remove.
package struct ErasablePerson: Hashable, Sendable {
    /// Up to which number former keys, devices and events are counted.
    package static let counted = 10_000

    package let number: Int64
    package let key: String
    /// The number of former keys; `counted` + 1 if there are more.
    package let aliases: Int
    /// The number of devices; `counted` + 1 if there are more.
    package let devices: Int
    /// The number of events from the person's present devices; `counted` + 1 if there are more.
    package let events: Int
    /// The number of messages in message centers, and in the own inboxes of as many devices as one step of an erasure
    /// handles.
    package let messages: Int

    init(_ contact: ContactRow, in connection: any SQLConnection) throws {
        number = contact.id
        key = contact.key
        aliases = try connection.contactParts.count(mergedInto: contact.id, upTo: Self.counted + 1)
        devices = try connection.devices.count(ofContact: contact.id, upTo: Self.counted + 1)
        let first = try connection.devices.outlines(ofContact: contact.id, limit: ContactErasure.devicesAtOnce)
        events = try connection.events.count(of: first.map(\.id), upTo: Self.counted + 1)
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: ContactErasure.devicesAtOnce
        )
        // The inbox of a present device is removed as a whole with the device.
        let holders = [MessageHolder.contact(contact.id)] + first.map { MessageHolder.installation($0.id) }
        let held = try holders.reduce(0) { try $0 + connection.centerMessages.count(of: $1.number) }
        messages = try left.reduce(held) { count, device in
            let former = PersonsDevice(former: device, of: contact.id, connection: connection)
            return try count + former.ownInbox().count
        }
    }
}

extension PersonsDevice {
    /// A device that has left the person: it is known that somebody else has it.
    fileprivate init(former device: Int64, of person: Int64, connection: any SQLConnection) {
        self.init(number: device, isSole: false, person: person, connection: connection)
    }
}
