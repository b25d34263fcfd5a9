import Foundation

/// The offer that a new installation may take over the anonymous contact of the installation that had its push token
/// before. It must first show that it receives pushes to that token (REG-23).
package struct TakeoverOffer: Hashable, Sendable {
    package let device: Int64
    /// The anonymous contact of its first link.
    package let contact: Int64
    /// The anonymous contact of the earlier installation.
    package let formerContact: Int64
    /// The earlier installation.
    package let formerDevice: Int64
    package let offeredAt: Date

    package init(device: Int64, contact: Int64, formerContact: Int64, formerDevice: Int64, offeredAt: Date) {
        self.device = device
        self.contact = contact
        self.formerContact = formerContact
        self.formerDevice = formerDevice
        self.offeredAt = offeredAt
    }
}

extension TakeoverOffer {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case device, contact, formerContact, formerDevice, offeredAt

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .contact: "contact_id"
            case .formerContact: "former_contact_id"
            case .formerDevice: "former_device_id"
            case .offeredAt: "offered_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            device: row.integer(.device), contact: row.integer(.contact), formerContact: row.integer(.formerContact),
            formerDevice: row.integer(.formerDevice), offeredAt: row.date(.offeredAt)
        )
    }
}

package struct TakeoverOfferRepository {
    let connection: any SQLConnection

    /// Replaces an earlier offer to the same device, and deletes offers from before a moment.
    package func put(_ offer: TakeoverOffer, removingBefore moment: Date) throws {
        try remove(before: moment)
        try connection.execute(
            """
            INSERT INTO takeover_offers (device_id, contact_id, former_contact_id, former_device_id, offered_at)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET contact_id = excluded.contact_id,
                former_contact_id = excluded.former_contact_id, former_device_id = excluded.former_device_id,
                offered_at = excluded.offered_at
            """,
            [
                .integer(offer.device), .integer(offer.contact), .integer(offer.formerContact),
                .integer(offer.formerDevice), .date(offer.offeredAt),
            ]
        )
    }

    package func remove(before moment: Date) throws {
        try connection.execute("DELETE FROM takeover_offers WHERE offered_at < ?", [.date(moment)])
    }

    package func find(device: Int64) throws -> TakeoverOffer? {
        try connection.first(
            "SELECT \(TakeoverOffer.columns) FROM takeover_offers WHERE device_id = ?", [.integer(device)],
            TakeoverOffer.init
        )
    }

    /// The offers to these devices.
    package func find(_ devices: [Int64]) throws -> [TakeoverOffer] {
        guard !devices.isEmpty else { return [] }
        return try connection.query(
            """
            SELECT \(TakeoverOffer.columns) FROM takeover_offers
            WHERE device_id IN (\(connection.dialect.integers)) ORDER BY device_id
            """,
            [.integers(devices)], TakeoverOffer.init
        )
    }
}

extension SQLConnection {
    package var takeoverOffers: TakeoverOfferRepository { TakeoverOfferRepository(connection: self) }
}

extension EventRepository {
    /// Whether a device has sent events other than those of an app start.
    package func hasMoreThanStarts(of device: Int64) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM events WHERE device_id = ?
                AND NOT (kind = 'internal' AND name IN ('app:start', 'session:start')) LIMIT 1
            """,
            [.integer(device)]
        ) { $0.flag(0) } ?? false
    }
}

extension ContactRepository {
    /// Whether a contact, or an installation by its number as a ``MessageHolder``, has a message in any message center.
    package func hasMessages(_ contact: Int64) throws -> Bool {
        try connection.first("SELECT 1 FROM center_messages WHERE contact_id = ? LIMIT 1", [.integer(contact)]) {
            $0.flag(0)
        } ?? false
    }
}
