/// Devices that have left a contact (REG-24). A contact's events and deliveries come from its devices and from these.
package struct FormerDeviceRepository {
    let connection: any SQLConnection

    package func insert(_ device: Int64, of contact: Int64, app: Int64) throws {
        try connection.execute(
            "INSERT INTO former_devices (app_id, contact_id, device_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [.integer(app), .integer(contact), .integer(device)]
        )
    }

    /// Deletes the record of a device that has come back to the contact.
    package func delete(_ device: Int64, of contact: Int64, app: Int64) throws {
        try connection.executeLater(
            "DELETE FROM former_devices WHERE app_id = ? AND contact_id = ? AND device_id = ?",
            [.integer(app), .integer(contact), .integer(device)]
        )
    }

    /// Moves the records of devices that have left a contact to another contact (ID-8).
    package func move(from contact: Int64, to other: Int64, app: Int64) throws {
        try connection.execute(
            """
            INSERT INTO former_devices (app_id, contact_id, device_id)
            SELECT app_id, ?, device_id FROM former_devices WHERE app_id = ? AND contact_id = ?
            ON CONFLICT DO NOTHING
            """,
            [.integer(other), .integer(app), .integer(contact)]
        )
        try deleteAll(of: contact, app: app)
    }

    package func deleteAll(of contact: Int64, app: Int64) throws {
        try connection.execute(
            "DELETE FROM former_devices WHERE app_id = ? AND contact_id = ?", [.integer(app), .integer(contact)]
        )
    }

    package func all(of contact: Int64, app: Int64, limit: Int = .max) throws -> [Int64] {
        try connection.query(
            "SELECT device_id FROM former_devices WHERE app_id = ? AND contact_id = ? ORDER BY device_id LIMIT ?",
            [.integer(app), .integer(contact), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// Reads all devices that have left a contact, by number, page by page, after a given one. There may be any number.
    ///
    /// - Parameter body: gets a page, and returns whether to continue.
    func forEachPage(
        of contact: Int64, app: Int64, after number: Int64 = .min, limit: Int, _ body: ([Int64]) throws -> Bool
    ) throws {
        var last = number
        while true {
            let page = try connection.query(
                """
                SELECT device_id FROM former_devices WHERE app_id = ? AND contact_id = ? AND device_id > ?
                ORDER BY device_id LIMIT ?
                """,
                [.integer(app), .integer(contact), .integer(last), .integer(limit)]
            ) { $0.integer(0) }
            guard let end = page.last, try body(page), page.count == limit else { return }
            last = end
        }
    }
}

extension SQLConnection {
    package var formerDevices: FormerDeviceRepository { FormerDeviceRepository(connection: self) }
}
