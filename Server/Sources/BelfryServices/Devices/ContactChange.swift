import BelfryModel
import BelfryStore
import Foundation

/// Gives a device its first contact, or another one: the contact that a link names, or a registration that is applied.
/// It runs in the transaction of that call, which saves the device's row afterwards (REG-24, ID-9).
struct ContactChange {
    let connection: any SQLConnection
    let now: Date
    /// The cause that the person's timeline shows.
    var cause = ContactLinkCause.link
    /// When the device said it, if that was earlier than the change.
    var saidAt: Date?

    /// Gives the device its contact; a device has one at a time (REG-24, ID-9). When it leaves an anonymous contact for
    /// a known one, that contact's history and badge are moved along (ID-8). Otherwise another person begins with none
    /// (ID-4).
    ///
    /// - Parameter level: how much the caller has proven. An id is a name and no proof: it does not move any history
    ///   (WIRE-20).
    func apply(to device: inout DeviceRow, contact: Int64, by level: CallerAuthLevel) throws {
        guard let former = device.contact else {
            device.contact = contact
            try note(device, from: nil)
            return try connection.formerDevices.delete(device.id, of: contact, app: device.app)
        }
        guard former != contact else { return }
        device.contact = contact
        device.knownTag = nil
        // The device has purged all messages of the former contact, and fetches them again when that contact comes back
        // (ID-4, MC-9).
        try connection.richConfirmations.forget(contact: former, device: device.id)
        try connection.formerDevices.insert(device.id, of: former, app: device.app)
        let merges = try level == .linked && mergeHistory(of: former, by: device)
        if !merges { try connection.badges.reset(device: device.id) }
        try note(device, from: merges ? nil : former)
        try connection.formerDevices.delete(device.id, of: contact, app: device.app)
        device.applied = AppliedSnapshot(device.applied, leaving: former, for: contact, merges: merges)
        if [.installation, .linked].contains(level) { device.applied?.remember(former) }
        device.applied?.mergedContacts = nil
    }

    /// The device takes over the anonymous contact of its former installation. Its own history is merged into that
    /// contact, and what the device has said since counts (REG-23). It has purged nothing of the contact, because it
    /// never had it.
    ///
    /// - Parameter earlier: the former installation, whose inbox is moved along (MC-15).
    func takeOver(_ contact: Int64, of earlier: Int64, by device: inout DeviceRow) throws {
        guard let own = device.contact, own != contact, let old = try connection.contacts.find(id: own),
            let taken = try connection.contacts.find(id: contact)
        else { return }
        device.contact = contact
        let newer = old.enriched(by: taken)
        var merged = taken
        merged.attributes = newer.attributes
        merged.party = newer.party
        merged.lastOpenedAt = newer.lastOpenedAt
        try connection.contacts.save(merged, now: now, times: times(of: old, enrichedBy: taken))
        try connection.centerMessages.reassign(madeFrom: own, to: contact, device: device.id)
        // A former installation that was revoked since the offer, or has another contact by now, keeps its own
        // (SEC-10).
        if try connection.devices.findAnywhere(id: earlier)?.contact == contact {
            try connection.centerMessages.moveInbox(of: earlier, to: device.id)
        }
        try move(all: old, to: contact, by: device)
        try connection.formerDevices.insert(device.id, of: own, app: device.app)
        try connection.formerDevices.delete(device.id, of: contact, app: device.app)
        try connection.contactLinks.note(device.id, from: nil, to: contact, cause: .takeover, at: now)
        device.applied = AppliedSnapshot(device.applied, leaving: own, for: contact, merges: true)
        device.applied?.remember(own)
    }

    /// - Parameter former: the former contact. Nil when its history is moved along.
    private func note(_ device: DeviceRow, from former: Int64?) throws {
        try connection.contactLinks.note(
            device.id, from: former, to: device.contact, cause: cause, at: saidAt ?? now
        )
    }

    /// Moves an anonymous contact's data into the device's known contact. False when the two are not such a pair.
    private func mergeHistory(of former: Int64, by device: DeviceRow) throws -> Bool {
        guard let old = try connection.contacts.find(id: former), !old.known, let contact = device.contact,
            let known = try connection.contacts.find(id: contact), known.known
        else { return false }
        let isLast = try !connection.devices.hasOthers(of: old.id, than: device.id)
        let part = isLast ? old : old.part(of: device)
        let merged = known.enriched(by: part)
        if merged != known {
            try connection.contacts.save(merged, now: now, times: times(of: known, enrichedBy: part))
        }
        // Messages that name nobody stay in an installation's inbox; messages that were made from these values are
        // removed (MC-15).
        let earlier = try isLast ? connection.formerDevices.all(of: old.id, app: old.app) : []
        for id in [device.id] + earlier { try connection.centerMessages.erase(madeFrom: old.id, device: id) }
        guard !isLast else {
            try move(all: old, to: known.id, by: device)
            return true
        }
        try connection.eventMoves.begin(of: device.id, from: old.id, to: known.id)
        try connection.inAppDeviceStates.move(of: device.id, from: old.id, to: known.id)
        try connection.contactTags.move(of: device.id, from: old.id, to: known.id, now: now)
        return true
    }

    /// The times at which the merged contact's values were set: each value keeps its time (ADM-5).
    private func times(of contact: ContactRow, enrichedBy other: ContactRow) throws -> AttributeTimes {
        try connection.contacts.attributeTimes(of: contact.id).completed(
            by: connection.contacts.attributeTimes(of: other.id),
            for: other.attributes.keys.filter { contact.attributes[$0] == nil }
        )
    }

    /// Moves all data of a contact that no device has any more, including that of devices that have left it.
    private func move(all old: ContactRow, to contact: Int64, by device: DeviceRow) throws {
        try connection.contactTags.move(of: nil, from: old.id, to: contact, now: now)
        // One limit for all of these devices, because there may be any number.
        var room = MoveRoom.atOnce
        for earlier in try [device.id] + connection.formerDevices.all(of: old.id, app: old.app) {
            try connection.eventMoves.begin(of: earlier, from: old.id, to: contact, in: &room)
            try connection.inAppDeviceStates.move(of: earlier, from: old.id, to: contact)
        }
        try connection.formerDevices.move(from: old.id, to: contact, app: old.app)
        try connection.contacts.redirect(old.id, to: contact, now: now)
    }
}

extension ContactRow {
    /// The contact with the values of an anonymous contact added. Its own values win.
    func enriched(by other: ContactRow) -> ContactRow {
        var result = self
        result.attributes.merge(other.attributes) { own, _ in own }
        result.party = party ?? other.party
        result.lastOpenedAt = [lastOpenedAt, other.lastOpenedAt].compactMap(\.self).max()
        return result
    }

    /// The part of a contact's data that this device has set. Several devices may share the contact.
    func part(of device: DeviceRow) -> ContactRow {
        let said = device.applied.flatMap { $0.contact == id ? $0.attributes : nil } ?? [:]
        var result = self
        result.attributes = attributes.filter { said[$0.key] != nil }
        result.party = nil
        result.lastOpenedAt = device.lastOpenedAt
        return result
    }
}

extension AppliedSnapshot {
    /// What counts as said by a device that leaves one contact for another. If the history is merged, its values count
    /// as said of the new contact: repeated, they overwrite nothing there (REG-28).
    init(_ said: AppliedSnapshot?, leaving former: Int64, for contact: Int64, merges: Bool) {
        self = said ?? AppliedSnapshot(contact: former, attributes: [:])
        guard merges else { return }
        if ![former, contact].contains(self.contact) {
            // The values were said of an earlier contact. Values that are defined later go to that contact, and to
            // nobody else (REG-25).
            if let revision { left = SaidAttributes(contact: self.contact, attributes: attributes, revision: revision) }
            attributes = [:]
            revision = nil
        }
        self.contact = contact
    }

    /// The highest number of contacts that an installation has left and is still recognized by.
    static let maximumFormerContacts = 8

    fileprivate mutating func remember(_ former: Int64) {
        let left = (mergedContacts ?? []) + [former]
        let others = (formerContacts ?? []).filter { !left.contains($0) }
        formerContacts = (others + left).suffix(Self.maximumFormerContacts)
    }

    /// Notes that an operator has merged the device's contact into another one (ADM-5).
    mutating func merged(_ contact: Int64, into other: Int64) {
        follow(contact, into: other)
        let others = (mergedContacts ?? []).filter { $0 != contact }
        mergedContacts = (others + [contact]).suffix(Self.maximumFormerContacts)
    }

    /// Values that were said of a contact now count as said of the contact that it became.
    mutating func follow(_ contact: Int64, into other: Int64) {
        if self.contact == contact { self.contact = other }
        if left?.contact == contact { left?.contact = other }
    }

    /// The values of a snapshot, and the contact of which it said them. Nil when that is not known.
    func said(at revision: Int64) -> SaidAttributes? {
        if self.revision == revision {
            return SaidAttributes(contact: contact, attributes: attributes, revision: revision)
        }
        return left?.revision == revision ? left : nil
    }

    /// The names of the attributes that the device is known to have set for a contact.
    func names(saidOf contact: Int64) -> Set<String> {
        var names: Set<String> = []
        if self.contact == contact { names.formUnion(attributes.keys) }
        if let left, left.contact == contact { names.formUnion(left.attributes.keys) }
        return names
    }

    /// Replaces a snapshot's values by those that the present definitions of attributes accept.
    mutating func review(_ revision: Int64, as accepted: [String: AttributeValue]) {
        if self.revision == revision { attributes = accepted } else { left?.attributes = accepted }
    }
}
