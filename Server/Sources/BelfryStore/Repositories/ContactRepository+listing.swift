import Foundation

/// What still holds a contact; an orphan has none of it (REG-24).
package struct ContactTies: Hashable, Sendable {
    package let devices: Bool
    package let events: Bool
    package let deliveries: Bool

    package var isOrphan: Bool { !devices && !events && !deliveries }
}

extension ContactRepository {
    /// The app, the cursor and the limit are its arguments.
    package static let listSQL = """
        SELECT \(columns) FROM contacts WHERE app_id = ? AND merged_into IS NULL AND id < ? ORDER BY id DESC LIMIT ?
        """

    /// The app, the cursor, both once more, and the limit are its arguments. Only a contact that a device has left can
    /// be an orphan.
    package static let orphansSQL = """
        SELECT \(columns) FROM contacts c WHERE c.app_id = ? AND c.merged_into IS NULL AND c.id < ?
            AND c.id IN (SELECT contact_id FROM former_devices WHERE app_id = ? AND contact_id < ?)
            AND NOT \(hasDevice) AND NOT \(hasEvent) AND NOT \(hasDelivery)
        ORDER BY c.id DESC LIMIT ?
        """

    private static let hasDevice = "EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)"
    private static let hasEvent = """
        EXISTS (SELECT 1 FROM former_devices f JOIN events e ON e.device_id = f.device_id
            WHERE f.app_id = c.app_id AND f.contact_id = c.id AND e.contact_id = c.id)
        """
    /// Deliveries keep the anonymous contact that they were planned for.
    private static let hasDelivery = """
        EXISTS (SELECT 1 FROM former_devices f JOIN campaigns m ON m.app_id = f.app_id
            JOIN deliveries l ON l.campaign_id = m.id AND l.device_id = f.device_id
            WHERE f.app_id = c.app_id AND f.contact_id = c.id AND (l.contact_id = c.id
                OR l.contact_id IN (SELECT r.id FROM contacts r WHERE r.merged_into = c.id)))
        """

    /// Newest first, older than the cursor; those that went into others are left out.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> [ContactRow] {
        try connection.query(
            Self.listSQL, [.integer(app), .integer(cursor ?? .max), .integer(limit)], read
        )
    }

    /// Contacts that were left with no device, no event and no delivery; newest first, older than the cursor.
    package func orphans(app: Int64, before cursor: Int64?, limit: Int) throws -> [ContactRow] {
        let position: [SQLValue] = [.integer(app), .integer(cursor ?? .max)]
        return try connection.query(Self.orphansSQL, position + position + [.integer(limit)], read)
    }

    package func ties(of contact: Int64) throws -> ContactTies? {
        func flag(_ condition: String) -> String { "CASE WHEN \(condition) THEN 1 ELSE 0 END" }
        return try connection.first(
            """
            SELECT \(flag(Self.hasDevice)), \(flag(Self.hasEvent)), \(flag(Self.hasDelivery))
            FROM contacts c WHERE c.id = ?
            """,
            [.integer(contact)]
        ) { ContactTies(devices: $0.flag(0), events: $0.flag(1), deliveries: $0.flag(2)) }
    }
}
