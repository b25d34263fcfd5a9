import BelfryModel

/// Who comes with nothing but an id, and names a contact.
package struct Newcomer: Hashable, Sendable {
    package let app: Int64
    package let client: DeviceID
    /// Nil for a contact whose key the server has just drawn, which nobody has.
    package let key: String?

    package init(app: Int64, client: DeviceID, key: String?) {
        self.app = app
        self.client = client
        self.key = key
    }
}

/// What is there already of a newcomer.
package struct NewcomerStanding: Hashable, Sendable {
    /// An installation with the id was erased (REG-36).
    package let wasErased: Bool
    /// One is there that nobody has linked, dormant or not.
    package let hasUnlinked: Bool
    /// The contact with the key, or the one that it went into.
    package let contact: Int64?
}

extension DeviceRepository {
    /// What is there of several newcomers, asked for at once (FLEET-4).
    package func standings(of newcomers: [Newcomer]) throws -> [NewcomerStanding] {
        // Each is found or not; nobody needs the rows.
        let counted = try connection.queryTogether(newcomers.flatMap(\.questions)) { $0.integer(0) }
        let tables = DeviceTable.allCases.count
        var found = counted[...]
        return newcomers.map { newcomer in
            let erasures = found.popFirst() ?? []
            let unlinked = found.prefix(tables)
            found = found.dropFirst(tables)
            let contacts = newcomer.key.flatMap { _ in found.popFirst() } ?? []
            return NewcomerStanding(
                wasErased: !erasures.isEmpty, hasUnlinked: unlinked.contains { !$0.isEmpty }, contact: contacts.first
            )
        }
    }
}

extension Newcomer {
    /// Erasures of the id, installations that nobody has linked in each table, and the contact if one is named.
    fileprivate var questions: [SQLFragment] {
        [ErasedDeviceRepository.askForErasure(client, app: app)]
            + DeviceTable.allCases.map { DeviceRepository.askForUnlinked(app: app, client: client, in: $0) }
            + (key.map { [ContactRepository.askForNumber(app: app, key: $0)] } ?? [])
    }
}
