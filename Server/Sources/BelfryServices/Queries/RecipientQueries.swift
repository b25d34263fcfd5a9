import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A row of a campaign's ledger: the device, its contact, and the state of its message (CON-7).
package struct ListedRecipient: Hashable, Sendable {
    /// The device's id; nil if the device no longer exists.
    package let device: String?
    /// The number of the contact that the device had when the audience was selected.
    package let contact: Int64?
    /// The contact's key; nil if the device had no known contact.
    package let contactKey: String?
    package let delivery: DeliveryRow
}

/// A page of the recipients behind a campaign's figures.
package struct RecipientPage: Hashable, Sendable {
    package let recipients: [ListedRecipient]
    /// The device number after which the list continues; nil at the end. A page may be shorter than its limit and still
    /// have a successor: for rare outcomes only a bounded part of the ledger is searched.
    package let next: Int64?
}

/// Lists the recipients in a campaign's ledger, keyset-paged (ADM-7).
package struct RecipientQueries: Sendable {
    /// The row filter, as the layers above use it.
    package typealias Filter = RecipientFilter

    /// How many rows are searched for a page: first a few, then more at a time, up to the maximum.
    static let firstRows = 1_000
    static let rowsAtOnce = 20_000
    static let maximumRows = 100_000

    let database: any SQLDatabase

    package init(database: any SQLDatabase) {
        self.database = database
    }

    package func list(
        _ id: CampaignID, _ filter: RecipientFilter, app: AppRecord, after cursor: Int64?, limit: Int
    ) async throws -> RecipientPage {
        try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).campaign(id)
            if campaign.ledgerRemovedAt != nil { throw ServiceError.ledgerRemoved(of: id) }
            let (rows, next) = try Self.rows(of: id, filter, after: cursor ?? 0, limit: limit, in: connection)
            let clients = try connection.devices.clients(of: rows.map(\.device))
            let keys = try connection.contacts.knownKeys(of: rows.compactMap(\.delivery.contact))
            return RecipientPage(
                recipients: rows.map { row in
                    ListedRecipient(
                        device: clients[row.device], contact: row.delivery.contact,
                        contactKey: row.delivery.contact.flatMap { keys[$0] }, delivery: row.delivery
                    )
                },
                next: next
            )
        }
    }

    private static func rows(
        of id: CampaignID, _ filter: RecipientFilter, after cursor: Int64, limit: Int, in connection: any SQLConnection
    ) throws -> (rows: [DeliveryOfDevice], next: Int64?) {
        var (device, looked, found) = (cursor, 0, [DeliveryOfDevice]())
        while looked < maximumRows {
            let size = looked == 0 ? max(firstRows, limit + 1) : rowsAtOnce
            let last = try connection.statistics.lastDevice(of: id.number, after: device, limit: size)
            guard let last else { return (found, nil) }
            found += try connection.figures.rows(
                of: id, devices: (device + 1)...last, filter, limit: limit + 1 - found.count
            )
            let (shown, next) = found.cut(to: limit) { $0.device }
            if let next { return (shown, next) }
            (device, looked) = (last, looked + size)
        }
        return (found, device)
    }
}
