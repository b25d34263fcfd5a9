import BelfryModel

/// A call with an id and no proof, which names a contact: the records that a first link would need are looked up.
package struct NewDeviceLookup: Hashable, Sendable {
    package let app: Int64
    package let client: DeviceID
    /// The contact's key; nil if the server has just generated one, which no contact has.
    package let key: String?

    package init(app: Int64, client: DeviceID, key: String?) {
        self.app = app
        self.client = client
        self.key = key
    }
}

/// What the store has already for a ``NewDeviceLookup``.
package struct NewDeviceMatch: Hashable, Sendable {
    /// An installation with the id was erased (REG-36).
    package let wasErased: Bool
    /// Whether an installation with the id exists that has no contact, dormant or not.
    package let hasUnlinked: Bool
    /// The contact with the key, or the contact into which it was merged.
    package let contact: Int64?
}

extension DeviceRepository {
    /// What the store has for several lookups, in one query (FLEET-4).
    package func lookUp(_ lookups: [NewDeviceLookup]) throws -> [NewDeviceMatch] {
        if let directory { return try directory.lookUp(lookups) }
        // Each is found or not; nobody needs the rows.
        let counted = try connection.queryTogether(lookups.flatMap(\.queries)) { $0.integer(0) }
        let tables = DeviceTable.allCases.count
        var found = counted[...]
        return lookups.map { lookup in
            let erasures = found.popFirst() ?? []
            let unlinked = found.prefix(tables)
            found = found.dropFirst(tables)
            let contacts = lookup.key.flatMap { _ in found.popFirst() } ?? []
            return NewDeviceMatch(
                wasErased: !erasures.isEmpty, hasUnlinked: unlinked.contains { !$0.isEmpty }, contact: contacts.first
            )
        }
    }
}

extension DeviceDirectory {
    /// The same in two steps: first where ids and keys lead, and then what is there. Most lead nowhere, and then one is
    /// enough.
    fileprivate func lookUp(_ lookups: [NewDeviceLookup]) throws -> [NewDeviceMatch] {
        let led = try connection.queryTogether(lookups.flatMap(\.entries)) { $0.integer(0) }
        var rest = led[...]
        let leads = lookups.map { lookup in
            let erasures = rest.popFirst() ?? []
            let unlinked = rest.popFirst() ?? []
            let contacts = lookup.key.flatMap { _ in rest.popFirst() } ?? []
            return NewDeviceLead(wasErased: !erasures.isEmpty, unlinked: unlinked, contact: contacts.first)
        }
        let rows = zip(lookups, leads).flatMap { lookup, lead in lookup.rows(lead) }
        let found = try connection.queryTogether(rows) { $0.integer(0) }
        rest = found[...]
        return leads.map { lead in
            let count = lead.unlinked.count * DeviceTable.allCases.count
            let unlinked = rest.prefix(count)
            rest = rest.dropFirst(count)
            let contacts = lead.contact.flatMap { _ in rest.popFirst() } ?? []
            return NewDeviceMatch(
                wasErased: lead.wasErased, hasUnlinked: unlinked.contains { !$0.isEmpty }, contact: contacts.first
            )
        }
    }
}

/// Where the id and the key of a ``NewDeviceLookup`` lead.
private struct NewDeviceLead {
    let wasErased: Bool
    /// Installations that nobody has linked, as the directory says.
    let unlinked: [Int64]
    /// The row of the contact with the key.
    let contact: Int64?
}

extension NewDeviceLookup {
    /// Erasures of the id, the directory's entries of it, and that of the key if one is named.
    fileprivate var entries: [SQLFragment] {
        [
            ErasedDeviceRepository.askForErasure(client, app: app),
            DeviceKey.unlinked(client).entries(app: app, before: .max, limit: DeviceDirectory.page),
        ] + (key.map { [ContactKeyDirectory.askForRow(of: $0, app: app)] } ?? [])
    }

    /// Each installation in each table, and the contact.
    fileprivate func rows(_ lead: NewDeviceLead) -> [SQLFragment] {
        let devices = lead.unlinked.flatMap { number in
            DeviceTable.allCases.map { DeviceKey.unlinked(client).row(number, app: app, in: $0) }
        }
        return devices + (lead.contact.map { [ContactRepository.askForSurvivor(of: $0)] } ?? [])
    }

    /// Erasures of the id, installations that nobody has linked in each table, and the contact if one is named.
    fileprivate var queries: [SQLFragment] {
        [ErasedDeviceRepository.askForErasure(client, app: app)]
            + DeviceTable.allCases.map { DeviceRepository.askForUnlinked(app: app, client: client, in: $0) }
            + (key.map { [ContactRepository.askForNumber(app: app, key: $0)] } ?? [])
    }
}
