import BelfryModel
import BelfryStore
import Foundation

/// One contact becomes a part of another by an operator's word (ADM-5): its devices, values, tags, messages, events and
/// rows of the ledger go along, and its key stays as an alias. It runs in the transactions of ``ContactService``, one for
/// some devices each, then some of what belongs to no device; the last of them merges the contact itself.
struct ContactMerge {
    /// Devices that one transaction moves, those that have left among them.
    static let devicesAtOnce = 100
    /// Rows of each kind that it moves of what belongs to no device.
    static let rowsAtOnce = 1_000

    let connection: any SQLConnection
    let contact: ContactRow
    let other: ContactRow
    let now: Date
    /// That of the transaction: each device may have said megabytes, which go along.
    let time: StepTime

    /// - Returns: whether the contact has become a part of the other one.
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
        // What it said of the one it said of the other: repeated, it overwrites nothing there (REG-28).
        var applied = device.applied ?? AppliedSnapshot(contact: contact.id, attributes: [:])
        applied.merged(contact.id, into: other.id)
        device.applied = applied
        // The device still counts pushes by the tag of its last link as its own (ID-4): it may hold the other contact for
        // somebody who used it before. A link whose answer it may not have got has told it nothing.
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

    /// What moves with no device, of which there may be any number: the contacts that went into this one before, and the tags
    /// of devices that are gone. What its devices have confirmed is asked anew.
    ///
    /// - Returns: whether all of it has moved.
    private func moveParts() throws -> Bool {
        let counts = [
            try connection.contacts.redirectParts(of: contact.id, to: other.id, limit: Self.rowsAtOnce),
            try connection.contactTags.moveFirst(Self.rowsAtOnce, from: contact.id, to: other.id, now: now),
            try connection.contacts.deleteConfirmations(of: contact.id, limit: Self.rowsAtOnce),
        ]
        return counts.allSatisfy { $0 < Self.rowsAtOnce }
    }

    private func end() throws {
        try connection.centerMessages.move(from: contact.id, to: other.id)
        let values = AttributeTimes.newest(
            other.attributes, try connection.contacts.attributeTimes(of: other.id), or: contact.attributes,
            try connection.contacts.attributeTimes(of: contact.id)
        )
        var merged = other
        merged.attributes = values.attributes
        // A contact has one. What only described the other one goes; what identified it stays a former key.
        merged.party = other.party ?? contact.party
        merged.lastOpenedAt = [other.lastOpenedAt, contact.lastOpenedAt].compactMap(\.self).max()
        try connection.contacts.save(merged, now: now, times: values.times)
        try connection.contacts.redirect(contact.id, to: other.id, now: now)
    }
}
