import BelfryModel
import Foundation

/// What rehearsals have found, page by page.
extension RehearsalRepository {
    /// The pages that begin behind a device, in their order.
    ///
    /// - Parameter outcome: only pages that have it; nil: all.
    package func pages(
        of id: Int64, after device: Int64, having outcome: Int? = nil, limit: Int
    ) throws -> [RehearsalPage] {
        let mask = outcome.map(RehearsalPage.bit) ?? .max
        return try connection.query(
            """
            SELECT content FROM rehearsal_pages WHERE rehearsal_id = ? AND last_device > ? AND (outcomes & ?) <> 0
            ORDER BY last_device LIMIT ?
            """,
            [.integer(id), .integer(device), .integer(mask), .integer(limit)]
        ) { row in
            guard let page = RehearsalPage(packed: row.blob(0)) else {
                throw StoreError.corrupted(table: "rehearsal_pages", key: String(id))
            }
            return page
        }
    }

    /// What a rehearsal has found for one device; nil when it was not in the audience.
    package func find(_ device: Int64, in id: Int64) throws -> RehearsedDevice? {
        try pages(of: id, after: device - 1, limit: 1).first?.devices.first { $0.device == device }
    }

    /// Takes a device out of everything that was rehearsed in its app: its person is erased. The sums stay, as those of
    /// campaigns do (REG-36).
    package func forget(device: Int64) throws {
        let ids = try connection.query(
            "SELECT id FROM rehearsals WHERE app_id = (SELECT app_id FROM devices WHERE id = ?)", [.integer(device)]
        ) { $0.integer(0) }
        try connection.execute(
            """
            UPDATE rehearsals SET comparison = NULL
            WHERE comparison IS NOT NULL AND app_id = (SELECT app_id FROM devices WHERE id = ?)
            """,
            [.integer(device)]
        )
        for id in ids {
            guard let page = try pages(of: id, after: device - 1, limit: 1).first,
                let last = page.devices.last?.device, page.devices.contains(where: { $0.device == device })
            else { continue }
            try connection.execute(
                "DELETE FROM rehearsal_pages WHERE rehearsal_id = ? AND last_device = ?",
                [.integer(id), .integer(last)]
            )
            let left = RehearsalPage(page.devices.filter { $0.device != device })
            guard let first = left.devices.first?.device, let newLast = left.devices.last?.device else { continue }
            try connection.execute(
                """
                INSERT INTO rehearsal_pages (rehearsal_id, last_device, first_device, outcomes, content)
                VALUES (?, ?, ?, ?, ?)
                """,
                [.integer(id), .integer(newLast), .integer(first), .integer(left.outcomes), .blob(left.packed)]
            )
        }
    }
}

/// What a rehearsal asks about many devices at once.
extension RehearsalRepository {
    /// The recorded events of a name of some devices since a moment, the oldest first.
    package func events(
        named name: String, of devices: ClosedRange<Int64>, app: Int64, since: Date, limit: Int
    ) throws -> [(device: Int64, at: Date, attributes: [String: AttributeValue])] {
        try connection.query(
            """
            SELECT device_id, at, attributes FROM events
            WHERE device_id BETWEEN ? AND ? AND app_id = ? AND name = ? AND at >= ? ORDER BY at, event_id LIMIT ?
            """,
            [
                .integer(devices.lowerBound), .integer(devices.upperBound), .integer(app), .text(name), .date(since),
                .integer(limit),
            ]
        ) { (device: $0.integer(0), at: $0.date(1), attributes: try StoredAttributes.read($0.text(2))) }
    }

    /// The ids of devices by their numbers, and who uses them now; those that are gone have none.
    package func clients(of devices: [Int64]) throws -> [Int64: (id: String, contact: Int64?)] {
        guard !devices.isEmpty else { return [:] }
        let found = try connection.query(
            "SELECT id, client_id, contact_id FROM devices WHERE id IN (\(connection.dialect.integers))",
            [.integers(devices)]
        ) { ($0.integer(0), (id: $0.text(1), contact: $0.optionalInteger(2))) }
        return Dictionary(found) { first, _ in first }
    }

    /// Those of some holders who see as many messages in a center as it shows, by their numbers.
    package func crowded(
        _ holders: [Int64], center: MessageCenterName, now: Date, limit: Int
    ) throws -> Set<Int64> {
        let found = try connection.query(
            """
            SELECT contact_id FROM center_messages
            WHERE contact_id IN (\(connection.dialect.integers)) AND center = ? AND state <> 'deleted'
                AND (expires_at IS NULL OR expires_at > ?)
            GROUP BY contact_id HAVING count(*) >= ?
            """,
            [.integers(holders), .text(center.rawValue), .date(now), .integer(limit)]
        ) { $0.integer(0) }
        return Set(found)
    }

    /// A row of the ledger, as a comparison needs it.
    package struct LedgerEntry: Hashable, Sendable {
        package let device: Int64
        package let state: String
        package let reason: String?
    }

    /// The ledger's rows of a range of devices, in the order of their numbers.
    package func ledger(
        of campaign: CampaignID, devices: ClosedRange<Int64>, limit: Int = .max
    ) throws -> [LedgerEntry] {
        try connection.query(
            """
            SELECT device_id, state, reason FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?
            ORDER BY device_id LIMIT ?
            """,
            [
                .integer(campaign.number), .integer(devices.lowerBound), .integer(devices.upperBound),
                .integer(limit),
            ]
        ) { LedgerEntry(device: $0.integer(0), state: $0.text(1), reason: $0.optionalText(2)) }
    }
}
