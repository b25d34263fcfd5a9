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

extension NewDeviceLookup {
    /// Erasures of the id, installations that nobody has linked in each table, and the contact if one is named.
    fileprivate var queries: [SQLFragment] {
        [ErasedDeviceRepository.askForErasure(client, app: app)]
            + DeviceTable.allCases.map { DeviceRepository.askForUnlinked(app: app, client: client, in: $0) }
            + (key.map { [ContactRepository.askForNumber(app: app, key: $0)] } ?? [])
    }
}
