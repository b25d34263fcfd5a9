/// Reads what tells whether devices' in-app messages may have changed (PERF-7).
package struct InAppSyncVersionRepository {
    let connection: any SQLConnection

    /// The key is a device.
    package static let query = KeyedQuery { asked in
        """
        SELECT \(InAppSyncVersion.columns)
        FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id LEFT JOIN in_app_clocks k ON k.app_id = d.app_id
        WHERE d.id = \(asked(.integer))
        """
    }

    /// The same without the contact.
    private static let ownQuery = KeyedQuery { asked in
        """
        SELECT \(InAppSyncVersion.ownColumns)
        FROM devices d LEFT JOIN in_app_clocks k ON k.app_id = d.app_id WHERE d.id = \(asked(.integer))
        """
    }

    /// Nil if the device no longer exists.
    package func find(device: Int64) throws -> InAppSyncVersion? {
        try find(devices: [device]).first ?? nil
    }

    /// The values for several devices, in order; nil for a device that no longer exists.
    package func find(devices: [Int64]) throws -> [InAppSyncVersion?] {
        guard !connection.dialect.isDistributed else { return try findInTurn(devices) }
        return try connection.queryEach(Self.query, devices.map { [.integer($0)] }) {
            InAppSyncVersion($0)
        }.map(\.first)
    }

    /// The devices first, and then their contacts, which are on other servers (FLEET-5).
    private func findInTurn(_ devices: [Int64]) throws -> [InAppSyncVersion?] {
        let stamps = try connection.queryEach(Self.ownQuery, devices.map { [.integer($0)] }) {
            InAppSyncVersion($0)
        }.map(\.first)
        let contacts = try connection.contacts.facts(of: Set(stamps.compactMap { $0?.link.contact }))
        return stamps.map { stamp in
            guard var whole = stamp, let contact = whole.link.contact else { return stamp }
            whole.contact = contacts[contact]?.updatedAt ?? 0
            return whole
        }
    }
}

extension SQLConnection {
    package var inAppSyncVersions: InAppSyncVersionRepository { InAppSyncVersionRepository(connection: self) }
}
