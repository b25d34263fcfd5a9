import BelfryModel
import BelfryStore
import Foundation

/// Gives a device its first contact, or another one: the contact that a link names, or a registration that is applied.
/// It runs in the transaction of that call, which saves the device's row afterwards (REG-24, ID-9).
///
/// This is the device's part. What it means for the contacts is a value, a ``ContactArrival``.
struct ContactChange {
    let connection: any SQLConnection
    let now: Date
    /// The cause that the person's timeline shows.
    var cause = ContactLinkCause.link
    /// When the device said it, if that was earlier than the change.
    var saidAt: Date?

    /// Gives the device its contact, and tells the contacts.
    func apply(to device: inout DeviceRow, contact: Int64, by level: CallerAuthLevel) throws {
        guard let arrival = try give(contact, to: &device, by: level) else { return }
        try ContactArriving(connection: connection, now: now).apply(arrival)
    }

    /// Gives the device its contact; a device has one at a time (REG-24, ID-9). When it leaves an anonymous contact for
    /// a known one, that contact's history and badge are moved along (ID-8). Otherwise another person begins with none
    /// (ID-4).
    ///
    /// - Parameter level: how much the caller has proven. An id is a name and no proof: it does not move any history
    ///   (WIRE-20).
    /// - Returns: what the contacts have to be told; nil if the device has had the contact already.
    func give(_ contact: Int64, to device: inout DeviceRow, by level: CallerAuthLevel) throws -> ContactArrival? {
        var arrival = ContactArrival(device: device.id, app: device.app, contact: contact)
        guard let former = device.contact else {
            device.contact = contact
            try note(device, from: nil)
            return arrival
        }
        guard former != contact else { return nil }
        let merge =
            try level == .linked ? AnonymousMerge(of: former, into: contact, by: device, now: now, connection) : nil
        arrival.left = ContactArrival.Departure(contact: former, history: merge?.history)
        arrival.read = merge?.known
        device.contact = contact
        device.knownTag = nil
        if merge == nil { try connection.badges.reset(device: device.id) }
        try note(device, from: merge == nil ? former : nil)
        device.applied = AppliedSnapshot(device.applied, leaving: former, for: contact, merges: merge != nil)
        if [.installation, .linked].contains(level) { device.applied?.remember(former) }
        device.applied?.mergedContacts = nil
        return arrival
    }

    /// The device takes over the anonymous contact of its former installation. Its own history is merged into that
    /// contact, and what the device has said since counts (REG-23). It has purged nothing of the contact, because it
    /// never had it.
    func takeOver(_ contact: Int64, by device: inout DeviceRow) throws {
        guard let own = device.contact, own != contact, let old = try connection.contacts.find(id: own),
            let taken = try connection.contacts.find(id: contact)
        else { return }
        device.contact = contact
        let newer = old.enriched(by: taken)
        var merged = taken
        merged.attributes = newer.attributes
        merged.party = newer.party
        merged.lastOpenedAt = newer.lastOpenedAt
        try connection.contacts.save(merged, now: now, times: connection.contacts.times(of: old, enrichedBy: taken))
        try connection.centerMessages.reassign(madeFrom: own, to: contact, device: device.id)
        try ContactArriving(connection: connection, now: now)
            .moveAll(of: own, to: contact, app: device.app, by: device.id)
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
}

/// The two contacts of a device that leaves an anonymous contact for a known one (ID-8).
private struct AnonymousMerge {
    let history: ContactArrival.History
    let known: ContactRow

    /// Nil when the two are not such a pair.
    init?(
        of former: Int64, into contact: Int64, by device: DeviceRow, now: Date, _ connection: any SQLConnection
    ) throws {
        guard let old = try connection.contacts.find(id: former), !old.known,
            let known = try connection.contacts.find(id: contact), known.known
        else { return nil }
        // Other devices may have something to say to it still, or have left it with their part.
        guard try !ContactWordSteps.settle(naming: former, in: connection, now: now) else {
            guard let heard = try Self(of: former, into: contact, by: device, now: now, connection) else { return nil }
            self = heard
            return
        }
        let isLast = try !connection.devices.hasOthers(of: former, than: device.id)
        history = ContactArrival.History(values: isLast ? old : old.part(of: device), isWhole: isLast)
        self.known = known
    }
}

extension ContactRow {
    /// The part of a contact's data that this device has set. Several devices may share the contact.
    fileprivate func part(of device: DeviceRow) -> ContactRow {
        let said = device.applied?.values(saidOf: id) ?? [:]
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

    /// The values of the last snapshot, if it was made for this contact.
    func values(saidOf contact: Int64) -> [String: AttributeValue] {
        self.contact == contact ? attributes : [:]
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
