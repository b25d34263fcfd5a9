import BelfryModel
import Foundation

/// The ledger rows of single devices: lists them, moves them to another person, or removes a person from them. The rows
/// of a device are looked up in each campaign of its app, since an index by device would slow down every send.
package struct DeviceDeliveryRepository {
    let connection: any SQLConnection

    /// The deliveries of a device, the newest campaign first, older than the cursor.
    package func list(of device: Int64, app: Int64, before cursor: Int64?, limit: Int) throws -> [DeliveryRow] {
        try connection.query(
            Self.listSQL(connection.dialect),
            [.integer(device), .integer(app), .integer(cursor ?? .max), .integer(limit)], DeliveryRow.init
        )
    }

    /// Its arguments are the device, its app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(DeliveryRow.columns) FROM campaigns c
            JOIN deliveries l ON l.campaign_id = c.id AND l.device_id = ?
        WHERE \(dialect.isArgument("c.app_id")) AND c.id < ? ORDER BY c.app_id DESC, c.id DESC LIMIT ?
        """
    }

    /// The given campaigns that have a device in their ledger.
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

    /// Moves the rows of a device that were planned for one contact to another.
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

    /// Removes a person from the rows of devices, including contacts merged into the person's. The rows stay, so that
    /// counts remain their sums (LED-3).
    ///
    /// - Returns: how many rows were changed.
    package func forget(person contact: Int64, devices: [Int64], app: Int64) throws -> Int {
        guard !connection.dialect.isDistributed else {
            return try devices.reduce(0) { count, device in
                count + (try forgetInTurn(person: contact, device: device, app: app))
            }
        }
        let rows: [[SQLValue]] = devices.map { [.integer($0), .integer(app), .integer(contact)] }
        try connection.executeEach(Self.forgetPlacedSQL(connection.dialect), rows)
        return try connection.executeEach(Self.forgetSQL(connection.dialect), rows)
    }

    /// The same where contacts are on other servers than the ledger (FLEET-5).
    private func forgetInTurn(person contact: Int64, device: Int64, app: Int64) throws -> Int {
        let isOfDevice = Self.isOfDevice(connection.dialect)
        let place: [SQLValue] = [.integer(device), .integer(app)]
        func forget(_ column: SQLText, as none: SQLText) throws -> Int {
            let isTheirs = try connection.contactParts.isPart(
                column, of: contact,
                among: SQLFragment(
                    "SELECT DISTINCT \(column) FROM deliveries WHERE \(isOfDevice) AND \(column) IS NOT NULL", place
                )
            )
            return try connection.execute(
                "UPDATE deliveries SET \(column) = \(none) WHERE \(isOfDevice) AND \(isTheirs.sql)",
                place + isTheirs.arguments
            )
        }
        _ = try forget("placed", as: "0")
        return try forget("contact_id", as: "NULL")
    }

    /// Its arguments are the device, the app and the contact.
    package static func forgetPlacedSQL(_ dialect: any Dialect) -> SQLText {
        """
        UPDATE deliveries SET placed = 0
        WHERE \(isOfDevice(dialect)) AND \(ContactRepository.surviving(in: "placed")) = ?
        """
    }

    /// Its arguments are the device, the app and the contact.
    package static func forgetSQL(_ dialect: any Dialect) -> SQLText {
        """
        UPDATE deliveries SET contact_id = NULL
        WHERE \(isOfDevice(dialect)) AND \(ContactRepository.surviving(in: "contact_id")) = ?
        """
    }

    /// Ends the pending rows of a device.
    package func suppressPending(of device: Int64, app: Int64, reason: DeliveryReason, now: Date) throws {
        try connection.execute(
            """
            UPDATE deliveries SET state = 'suppressed', reason = ?, retry_at = NULL, updated_at = ?
            WHERE \(Self.isOfDevice(connection.dialect)) AND state = 'pending'
            """,
            [.text(reason.rawValue), .date(now), .integer(device), .integer(app)]
        )
    }

    /// The condition for the rows of a device, which the table keeps campaign by campaign; its arguments are the device
    /// and its app.
    private static func isOfDevice(_ dialect: any Dialect) -> SQLText {
        "device_id = ? AND \(dialect.isFound("campaign_id", by: CampaignRepository.numbersOfApp))"
    }
}

extension SQLConnection {
    package var deviceDeliveries: DeviceDeliveryRepository { DeviceDeliveryRepository(connection: self) }
}
