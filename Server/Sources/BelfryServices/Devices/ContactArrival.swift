import BelfryModel
import BelfryStore
import Foundation

/// A device has come to a contact: what that contact, and the one that it has left, have to be told (REG-24, ID-8). The
/// device's part of the change gives it (``ContactChange``).
struct ContactArrival: Hashable, Sendable, Codable {
    let device: Int64
    let app: Int64
    var contact: Int64
    /// The contact that it has left; nil: it had none.
    var left: Departure?
    /// The row of the contact, if it was read for this. Whoever applies the arrival in the same transaction does not read
    /// it again.
    var read: ContactRow?

    private enum CodingKeys: String, CodingKey {
        case device, app, contact, left
    }

    struct Departure: Hashable, Sendable, Codable {
        let contact: Int64
        /// What goes along; nil: another person begins with nothing (ID-4).
        let history: History?
    }

    /// What goes from an anonymous contact into a known one.
    struct History: Hashable, Sendable, Codable {
        /// The anonymous contact with the values that go along.
        let values: ContactRow
        /// Whether no device has the anonymous contact any more, so that all of it goes.
        let isWhole: Bool
    }
}

/// Tells the contacts of a device's arrival. It runs in a transaction that saves the device's row afterwards.
struct ContactArriving {
    let connection: any SQLConnection
    let now: Date

    func apply(_ arrival: ContactArrival) throws {
        try leave(arrival)
        try arrive(arrival)
    }

    /// Tells the contact that the device has left; again changes nothing.
    func leave(_ arrival: ContactArrival) throws {
        guard let former = arrival.left?.contact else { return }
        // The device has purged all messages of the former contact, and fetches them again when that contact comes back
        // (ID-4, MC-9).
        try connection.richConfirmations.forget(contact: former, device: arrival.device)
        try connection.formerDevices.insert(arrival.device, of: former, app: arrival.app)
    }

    /// Tells the contact to which the device has come.
    func arrive(_ arrival: ContactArrival) throws {
        if let history = arrival.left?.history { try bring(history, arrival) }
        try connection.formerDevices.delete(arrival.device, of: arrival.contact, app: arrival.app)
    }

    /// Moves an anonymous contact's data into the device's known contact.
    private func bring(_ history: ContactArrival.History, _ arrival: ContactArrival) throws {
        let (former, contact) = (history.values.id, arrival.contact)
        try enrich(contact, by: history.values, read: arrival.read)
        // Messages that name nobody stay in an installation's inbox; messages that were made from these values are
        // removed (MC-15).
        let earlier = try history.isWhole ? connection.formerDevices.all(of: former, app: arrival.app) : []
        for device in [arrival.device] + earlier {
            try connection.centerMessages.erase(madeFrom: former, device: device)
        }
        guard !history.isWhole else {
            return try moveAll(of: former, to: contact, app: arrival.app, by: arrival.device)
        }
        try connection.eventMoves.begin(of: arrival.device, from: former, to: contact)
        try connection.inAppDeviceStates.move(of: arrival.device, from: former, to: contact)
        try connection.contactTags.move(of: arrival.device, from: former, to: contact, now: now)
    }

    private func enrich(_ contact: Int64, by values: ContactRow, read: ContactRow?) throws {
        guard let known = try read ?? connection.contacts.find(id: contact) else {
            throw StoreError.corrupted(table: "contacts", key: String(contact))
        }
        let merged = known.enriched(by: values)
        guard merged != known else { return }
        try connection.contacts.save(
            merged, now: now, times: connection.contacts.times(of: known, enrichedBy: values)
        )
    }

    /// Moves all data of a contact that no device has any more, including that of devices that have left it.
    func moveAll(of former: Int64, to contact: Int64, app: Int64, by device: Int64) throws {
        try connection.contactTags.move(of: nil, from: former, to: contact, now: now)
        // One limit for all of these devices, because there may be any number.
        var room = MoveRoom.atOnce
        let others = try connection.formerDevices.all(of: former, app: app).filter { $0 != device }
        for earlier in [device] + others {
            try connection.eventMoves.begin(of: earlier, from: former, to: contact, in: &room)
            try connection.inAppDeviceStates.move(of: earlier, from: former, to: contact)
        }
        try connection.formerDevices.move(from: former, to: contact, app: app)
        try connection.contacts.redirect(former, to: contact, now: now)
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
}

extension ContactRepository {
    /// The times at which the values of an enriched contact were set: each value keeps its time (ADM-5).
    func times(of contact: ContactRow, enrichedBy other: ContactRow) throws -> AttributeTimes {
        try attributeTimes(of: contact.id).completed(
            by: attributeTimes(of: other.id), for: other.attributes.keys.filter { contact.attributes[$0] == nil }
        )
    }
}
