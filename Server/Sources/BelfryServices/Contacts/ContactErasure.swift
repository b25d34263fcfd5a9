import BelfryModel
import BelfryStore
import Foundation

/// One erasure (REG-36), in the transactions of ``ContactService``: some devices each, then some of what is left, the
/// contact with the last of it. What one of them does grows with its devices and their rows alone, however many
/// contacts became the person's (SEC-8); and of what devices have said it takes a limited number of rows and bytes, for
/// each of them may have said hundreds of megabytes (SEC-2).
struct ContactErasure {
    /// Where the search for what devices that have left have of the person goes on.
    struct Place: Hashable, Sendable {
        /// What lies before was looked through for the person's events.
        var events: EventRemovalPlace?
        /// What came before was looked through for the person's name.
        var waiting: WaitingPlace?
    }

    /// A registration that waits.
    struct WaitingPlace: Hashable, Sendable {
        let device: Int64
        let registration: Int64
    }

    /// What a step has removed, and what it may remove still.
    private struct Removal {
        var removed = RemovedCounts()
        var room = MoveRoom.atOnce
        var place: Place
        /// Whether there is a device that is gone, but not all that it has said.
        var leavesWords = false
    }

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
    /// Where the step before this one has come to.
    let place: Place

    /// Erases some devices, and behind the last of them what is left with the contact.
    ///
    /// - Parameter receipt: the name of its receipt, if this is the first step.
    /// - Returns: the receipt, and where the next step goes on.
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

    /// Devices that the person has go as a whole. From then on they are turned away, and in no audience and no list; where
    /// one has said more than there is room for, it counts as one that has left, and a later step removes the rest.
    ///
    /// - Returns: how many of them went; the others are for the next step.
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

    /// Devices that have left stay, for others use them; what is the person's goes. Of those that are gone all goes.
    ///
    /// - Parameter erased: devices that this step has erased before.
    /// - Returns: how many of them are done; the others are for the next step.
    private func forget(_ left: [Int64], behind erased: Int, _ removal: inout Removal) throws -> Int {
        var devices: [Int64] = []
        for device in left where erased + devices.count == 0 || mayTakeMore(removal) {
            let isGone = try connection.devices.findAnywhere(id: device) == nil
            // Before the ledger forgets for whom its messages were placed.
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
            // What was rehearsed for it may tell of the person whose it was.
            try connection.rehearsals.forget(device: device)
            try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        }
        return devices.count
    }

    /// Whether a step takes a further device.
    private func mayTakeMore(_ removal: Removal) -> Bool {
        removal.removed.events < Self.eventsAtOnce && !removal.room.isFull && !time.isOver
    }

    /// What a device that is erased has sent and registered, whoever it was of, and its own inbox.
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

    /// What a device that has left has of the person: messages in its own inbox, which stays without them (MC-15), what it
    /// has registered, the name in what waits, and the person's events. These two are looked for, so they come last: what
    /// is behind the search stays behind it.
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

    /// Takes the person out of the next of what waits of a device that has left: it may be very much (SEC-2).
    ///
    /// - Returns: whether nothing more waits.
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

    /// What a device that has left said of this person goes.
    private func forgetApplied(of id: Int64) throws {
        guard var device = try connection.devices.findAnywhere(id: id), var applied = device.applied else { return }
        if try connection.contacts.isPart(applied.contact, of: contact.id) { applied.attributes = [:] }
        if let left = applied.left, try connection.contacts.isPart(left.contact, of: contact.id) { applied.left = nil }
        guard applied != device.applied else { return }
        device.applied = applied
        try connection.devices.save(device)
    }

    /// What belongs to no device goes last, and the contact with the end of it.
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
