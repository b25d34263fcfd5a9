import BelfryModel
import Foundation

/// What the ledger has of single devices, and how it follows them to another person or forgets one. The rows of a device
/// are looked up in each campaign of its app, so that no index by device burdens every send.
package struct DeviceDeliveryRepository {
    let connection: any SQLConnection

    /// What a device stands in, the newest campaign first, older than the cursor.
    package func list(of device: Int64, app: Int64, before cursor: Int64?, limit: Int) throws -> [DeliveryRow] {
        try connection.query(
            Self.listSQL(connection.dialect),
            [.integer(device), .integer(app), .integer(cursor ?? .max), .integer(limit)], DeliveryRow.init
        )
    }

    /// The device, its app, the cursor and the limit are its arguments.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(DeliveryRow.columns) FROM campaigns c
            JOIN deliveries l ON l.campaign_id = c.id AND l.device_id = ?
        WHERE \(dialect.isArgument("c.app_id")) AND c.id < ? ORDER BY c.app_id DESC, c.id DESC LIMIT ?
        """
    }

    /// Those of some campaigns that have a device in their ledger.
    package func campaigns(_ ids: [CampaignID], of device: Int64) throws -> Set<CampaignID> {
        guard !ids.isEmpty else { return [] }
        let found = try connection.query(
            """
            SELECT campaign_id FROM deliveries
            WHERE campaign_id IN (\(connection.dialect.integers)) AND device_id = ?
            """,
            [.integers(ids.map(\.number)), .integer(device)]
        ) { CampaignID($0.integer(0)) }
        return Set(found.compactMap(\.self))
    }

    /// Gives the rows of a device that were planned for one contact to another.
    package func move(of device: Int64, from contact: Int64, to other: Int64, app: Int64) throws {
        let columns: [SQLText] = ["contact_id", "placed"]
        for column in columns {
            try connection.execute(
                """
                UPDATE deliveries SET \(column) = ? WHERE \(Self.isOfDevice(connection.dialect)) AND \(column) = ?
                """,
                [.integer(other), .integer(device), .integer(app), .integer(contact)]
            )
        }
    }

    /// Takes a person out of the rows of devices, also under contacts that became theirs. The rows stay, so that counts
    /// remain their sums (LED-3).
    ///
    /// - Returns: how many rows they are.
    package func forget(person contact: Int64, devices: [Int64], app: Int64) throws -> Int {
        let rows: [[SQLValue]] = devices.map { [.integer($0), .integer(app), .integer(contact)] }
        try connection.executeEach(Self.forgetPlacedSQL(connection.dialect), rows)
        return try connection.executeEach(Self.forgetSQL(connection.dialect), rows)
    }

    /// The device, the app and the contact are its arguments.
    package static func forgetPlacedSQL(_ dialect: any Dialect) -> SQLText {
        """
        UPDATE deliveries SET placed = 0
        WHERE \(isOfDevice(dialect)) AND \(ContactRepository.surviving(in: "placed")) = ?
        """
    }

    /// The same.
    package static func forgetSQL(_ dialect: any Dialect) -> SQLText {
        """
        UPDATE deliveries SET contact_id = NULL
        WHERE \(isOfDevice(dialect)) AND \(ContactRepository.surviving(in: "contact_id")) = ?
        """
    }

    /// Ends what is still pending for a device.
    package func suppressPending(of device: Int64, app: Int64, reason: DeliveryReason, now: Date) throws {
        try connection.execute(
            """
            UPDATE deliveries SET state = 'suppressed', reason = ?, retry_at = NULL, updated_at = ?
            WHERE \(Self.isOfDevice(connection.dialect)) AND state = 'pending'
            """,
            [.text(reason.rawValue), .date(now), .integer(device), .integer(app)]
        )
    }

    /// The rows of a device, which lie campaign by campaign; the device and its app are the arguments.
    private static func isOfDevice(_ dialect: any Dialect) -> SQLText {
        "device_id = ? AND \(dialect.isFound("campaign_id", by: CampaignRepository.numbersOfApp))"
    }
}

extension SQLConnection {
    package var deviceDeliveries: DeviceDeliveryRepository { DeviceDeliveryRepository(connection: self) }
}
