import BelfryModel
import BelfryStore
import Foundation

/// Merges one contact into another for an operator (ADM-5). Its devices, values, tags, messages, events and ledger rows
/// move, and its key stays as an alias. It runs in the transactions of ``ContactService``: some devices in each, then
/// some of the data without a device. The last one merges the contact itself.
struct ContactMerge {
    /// The most devices that one transaction moves, former devices included.
    static let devicesAtOnce = 100
    /// The most rows of each kind without a device that one transaction moves.
    static let rowsAtOnce = 1_000

    let connection: any SQLConnection
    let contact: ContactRow
    let other: ContactRow
    let now: Date
    /// The time limit of the transaction: each device may have sent megabytes, which are moved in it.
    let time: StepTime

    /// - Returns: how many devices were moved, and whether the contact is merged.
    func step() throws -> (devices: Int, isDone: Bool) {
        let page = try connection.devices.page(ofContact: contact.id, limit: Self.devicesAtOnce)
        var moved = 0
        for device in page.devices where moved == 0 || !time.isOver {
            try move(device)
            moved += 1
        }
        guard moved == page.devices.count, !page.hasMore else { return (moved, false) }
        let left = try connection.formerDevices.all(
            of: contact.id, app: contact.app, limit: Self.devicesAtOnce - moved
        )
        var followed = 0
        for device in left where moved + followed == 0 || !time.isOver {
            try moveFormer(device)
            followed += 1
        }
        guard followed == left.count, moved + followed < Self.devicesAtOnce,
            moved + followed == 0 || !time.isOver, try moveParts()
        else { return (moved, false) }
        try end()
        return (moved, true)
    }

    private func move(_ former: DeviceRow) throws {
        try moveHistory(of: former.id)
        var device = former
        device.contact = other.id
        // What the device registered about one contact is now about the other, so that a repetition overwrites nothing
        // there (REG-28).
        var applied = device.applied ?? AppliedSnapshot(contact: contact.id, attributes: [:])
        applied.merged(contact.id, into: other.id)
        device.applied = applied
        // The device still accepts pushes with the tag of its last link as its own (ID-4): it may consider the other
        // contact a former user. A link whose response the device may not have got has not changed that.
        if (device.knownTag?.generation ?? -1) < device.confirmedGeneration {
            device.knownTag = KnownTag(contact: contact.id, generation: device.linkGeneration)
        }
        device.updatedAt = now
        try connection.devices.save(device)
        try connection.contactLinks.note(device.id, from: nil, to: other.id, cause: .merge, at: now)
        try connection.formerDevices.delete(device.id, of: other.id, app: contact.app)
    }

    private func moveFormer(_ device: Int64) throws {
        try moveHistory(of: device)
        try connection.formerDevices.delete(device, of: contact.id, app: contact.app)
        guard let row = try connection.devices.findAnywhere(id: device) else { return }
        if row.contact != other.id { try connection.formerDevices.insert(device, of: other.id, app: contact.app) }
        guard var applied = row.applied else { return }
        applied.follow(contact.id, into: other.id)
        guard applied != row.applied else { return }
        var moved = row
        moved.applied = applied
        try connection.devices.save(moved)
    }

    private func moveHistory(of device: Int64) throws {
        try connection.eventMoves.begin(of: device, from: contact.id, to: other.id)
        try connection.inAppDeviceStates.move(of: device, from: contact.id, to: other.id)
        try connection.deviceDeliveries.move(of: device, from: contact.id, to: other.id, app: contact.app)
        try connection.contactTags.move(of: device, from: contact.id, to: other.id, now: now)
    }

    /// Moves the data without a device, of which there may be any amount: the contacts that were merged into this one
    /// before, the tags of deleted devices, and its messages. What its devices have confirmed is requested again.
    ///
    /// - Returns: whether all of it has moved.
    private func moveParts() throws -> Bool {
        let counts = [
            try connection.contactParts.redirect(of: contact.id, to: other.id, limit: Self.rowsAtOnce),
            try connection.contactTags.moveFirst(Self.rowsAtOnce, from: contact.id, to: other.id, now: now),
            try connection.contacts.deleteConfirmations(of: contact.id, limit: Self.rowsAtOnce),
        ]
        guard counts.allSatisfy({ $0 < Self.rowsAtOnce }) else { return false }
        var room = MoveRoom.atOnce
        return try connection.centerMessages.moveSome(from: contact.id, to: other.id, in: &room)
    }

    private func end() throws {
        let values = AttributeTimes.newest(
            other.attributes, try connection.contacts.attributeTimes(of: other.id), or: contact.attributes,
            try connection.contacts.attributeTimes(of: contact.id)
        )
        var merged = other
        merged.attributes = values.attributes
        // A contact has one party identifier. One that only described the merged contact is dropped; one that
        // identified it stays a former key.
        merged.party = other.party ?? contact.party
        merged.lastOpenedAt = [other.lastOpenedAt, contact.lastOpenedAt].compactMap(\.self).max()
        try connection.contacts.save(merged, now: now, times: values.times)
        try connection.contacts.redirect(contact.id, to: other.id, now: now)
    }
}
