import BelfryModel
import BelfryStore
import Foundation

/// What a device says to its contact by one registration. It has only what is new: an old device that repeats old values
/// never overwrites what a newer one set (REG-28).
struct ContactWord: Hashable, Sendable {
    let device: Int64
    var contact: Int64
    /// Nil if the device had this contact before.
    var arrival: ContactArrival?
    let attributes: AttributeChanges
    let party: PartyIdentifier?
    let lastOpenedAt: Date?
    /// The tags that replace those which the device has set; nil keeps them.
    let tags: Set<Tag>?
    /// When the server received it.
    let saidAt: Date

    /// The same to the contact into which the one that was meant has gone meanwhile.
    func said(to other: Int64) -> ContactWord {
        var word = self
        word.contact = other
        word.arrival?.contact = other
        return word
    }

    /// The contact, once it has heard the word.
    func applied(to contact: ContactRow) -> ContactRow {
        var result = contact
        result.attributes = attributes.applied(to: contact.attributes)
        // The party identifier describes the contact. One that names the contact stays as it is (ID-9).
        if !ContactName.isParty(contact.key) { result.party = party ?? contact.party }
        result.lastOpenedAt = [lastOpenedAt, contact.lastOpenedAt].compactMap(\.self).max()
        return result
    }
}

/// Applies a word to the contact, and tells the contact that the device has left for it. It runs in the transaction of
/// ``SnapshotApplication``, which saves the device's row afterwards.
struct ContactWordApplication {
    let connection: any SQLConnection
    let now: Date

    private var arriving: ContactArriving { ContactArriving(connection: connection, now: now) }

    func apply(_ word: ContactWord) throws {
        try tellFormer(word)
        try tell(word)
    }

    /// The part of the contact that the device has left; again changes nothing.
    func tellFormer(_ word: ContactWord) throws {
        if let arrival = word.arrival { try arriving.leave(arrival) }
    }

    /// The part of the device's contact.
    func tell(_ word: ContactWord) throws {
        if let arrival = word.arrival { try arriving.arrive(arrival) }
        guard let contact = try connection.contacts.find(id: word.contact) else {
            throw StoreError.corrupted(table: "contacts", key: String(word.contact))
        }
        try connection.contacts.save(word.applied(to: contact), now: now, saidAt: word.saidAt)
        if let tags = word.tags {
            try connection.contactTags.replace(of: word.device, on: word.contact, with: tags, now: now)
        }
    }
}
