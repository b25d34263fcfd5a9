import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// How a query names a person.
package enum PersonReference: Hashable, Sendable {
    /// A contact key or a former key, also the former key of an anonymous contact that was merged into another.
    case key(String)
    /// The number of the contact, or of a contact that was merged into it.
    case number(Int64)
    /// A party identifier, or its number alone. It must belong to exactly one contact, now or as a former key (ID-9,
    /// ADM-5).
    case party(PartySearch)
}

extension AppLookup {
    func person(_ reference: PersonReference) throws -> ContactRow {
        switch reference {
        case .key(let key): try holder(of: key).contact
        case .number(let number): try contact(number: number)
        case .party(let search): try contact(describedBy: search)
        }
    }

    /// The contact number that a reference means: the person's own, or that of a contact that was merged into the
    /// person's, if the reference is its number or its key.
    func number(of reference: PersonReference) throws -> Int64 {
        let contact = try person(reference)
        switch reference {
        case .key(let key):
            let composed = NamingRule.composed(key)
            return try connection.contacts.row(of: key, app: app) ?? connection.contacts.row(of: composed, app: app)
                ?? contact.id
        case .number(let number): return number
        case .party: return contact.id
        }
    }

    private func contact(number: Int64) throws -> ContactRow {
        guard let id = try connection.contacts.surviving(number), let contact = try connection.contacts.find(id: id),
            contact.app == app
        else { throw ServiceError.notFound(what: "contact", id: String(number)) }
        return contact
    }

    private func contact(describedBy search: PartySearch) throws -> ContactRow {
        let found = try connection.contacts.list(app: app, party: search, before: nil, limit: 2).contacts
        guard let contact = found.first else {
            throw ServiceError.notFound(what: "contact with the party identifier", id: search.number)
        }
        guard found.count == 1 else {
            throw ServiceError.conflict(
                code: "severalContacts",
                message: "Several contacts have this party identifier, among them '\(found[0].key)' and "
                    + "'\(found[1].key)'. Name the contact by its key."
            )
        }
        return contact
    }

    /// The app's installation with this number.
    func installation(_ number: Int64) throws -> DeviceRow {
        guard let device = try connection.devices.findAnywhere(id: number), device.app == app else {
            throw ServiceError.notFound(what: "installation", id: String(number))
        }
        return device
    }

    /// The installation with this id: the one with this number, or without a number the one that is meant when people
    /// name the id. An id is a name and proves nothing, and may name several installations (WIRE-20).
    func device(_ id: String, installation number: Int64?) throws -> DeviceRow {
        guard let number else { return try device(id) }
        guard let client = try? DeviceID(id), let device = try connection.devices.findAnywhere(id: number),
            device.app == app, device.client == client
        else { throw ServiceError.notFound(what: "installation", id: String(number)) }
        return device
    }

    /// The other installations with the device's id, newest first, with the keys of their contacts.
    func namesakes(of device: DeviceRow) throws -> [Installation] {
        let rows = try connection.devices.outlines(
            app: app, client: device.client, limit: Installation.maximumListed + 1
        )
        guard rows.count > 1 else { return [] }
        let keys = try connection.contacts.keys(of: rows.compactMap(\.contact))
        return rows.filter { $0.id != device.id }.prefix(Installation.maximumListed).map { row in
            Installation(row, contactKey: row.contact.flatMap { keys[$0] })
        }
    }
}

/// One of several installations with the same device id.
package struct Installation: Hashable, Sendable {
    /// The most installations that a response lists; any number may have the same id.
    package static let maximumListed = 20

    package let number: Int64
    package let contact: Int64?
    package let contactKey: String?
    package let createdAt: Date
    package let lastOpenedAt: Date?

    init(_ device: DeviceOutline, contactKey: String?) {
        number = device.id
        contact = device.contact
        self.contactKey = contactKey
        createdAt = device.createdAt
        lastOpenedAt = device.lastOpenedAt
    }
}
