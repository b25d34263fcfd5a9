import BelfryModel
import BelfryServerModel
import Foundation

/// The ledger rows of in-app campaigns: adds their audience, and sets rows to accepted when a device has downloaded the
/// message (LED-1).
package struct InAppDeliveryRepository {
    let connection: any SQLConnection

    /// Adds devices of an audience to the ledger as pending. Rows from an earlier walk or from a download stay
    /// unchanged, and devices that no longer exist are left out.
    package func plan(_ campaign: CampaignID, app: Int64, members: [AudienceMember], now: Date) throws {
        guard !members.isEmpty else { return }
        try connection.execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            SELECT ?, a.device_id, a.contact_id, 'pending', 0, ? FROM \(AudienceColumns.table(of: app)) a
            WHERE a.device_id IN (\(connection.dialect.integers))
            ON CONFLICT (campaign_id, device_id) DO NOTHING
            """,
            [.integer(campaign.number), .date(now), .integers(members.map(\.device))]
        )
    }

    /// The given devices that do not know of a campaign's message yet: they have no copy of it for their contact,
    /// and the ledger says neither that it waits for them nor that it cannot be made for their contact (IAM-15).
    package func unaware(of campaign: CampaignID, among devices: [Int64]) throws -> [AudienceMember] {
        try connection.query(
            """
            SELECT d.id, d.contact_id FROM devices d
            WHERE d.id IN (\(connection.dialect.integers)) AND d.contact_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM deliveries l WHERE l.campaign_id = ? AND l.device_id = d.id
                    AND l.state IN ('pending', 'suppressed') AND l.contact_id = d.contact_id)
                AND NOT EXISTS (SELECT 1 FROM in_app_copies c WHERE c.campaign_id = ? AND c.device_id = d.id
                    AND c.contact_id = d.contact_id AND c.recalled_at IS NULL)
            ORDER BY d.id
            """,
            [.integers(devices), .integer(campaign.number), .integer(campaign.number)]
        ) { AudienceMember(device: $0.integer(0), contact: $0.optionalInteger(1)) }
    }

    private enum StateColumn: Int, ResultColumn {
        case device, state

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .state: "state"
            }
        }
    }

    /// The next rows of a campaign's ledger, ordered by device.
    package func states(
        of campaign: CampaignID, after device: Int64, limit: Int
    ) throws -> [(device: Int64, state: DeliveryState)] {
        try connection.query(
            """
            SELECT \(StateColumn.selectList) FROM deliveries
            WHERE campaign_id = ? AND device_id > ? ORDER BY device_id LIMIT ?
            """,
            [.integer(campaign.number), .integer(device), .integer(limit)]
        ) { row in
            let row = ResultRow<StateColumn>(row)
            guard let state = DeliveryState(rawValue: row.text(.state)) else {
                throw StoreError.corrupted(table: "deliveries", key: campaign.description)
            }
            return (device: row.integer(.device), state: state)
        }
    }

    /// Records a download. The device may have come into the audience after the campaign was planned, or the message
    /// may not have been possible for it before.
    package func download(_ campaigns: [CampaignID], device: Int64, contact: Int64, now: Date) throws {
        try connection.executeEach(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, attempts, updated_at)
            VALUES (?, ?, ?, 'accepted', 0, ?)
            ON CONFLICT (campaign_id, device_id) DO UPDATE SET state = 'accepted', reason = NULL, note = NULL,
                retry_at = NULL, contact_id = excluded.contact_id, updated_at = excluded.updated_at
            WHERE deliveries.state <> 'accepted'
            """,
            campaigns.map { [.integer($0.number), .integer(device), .integer(contact), .date(now)] }
        )
    }

    /// Records that the message cannot be made for a device. If the device has downloaded an earlier version, the row
    /// stays accepted.
    ///
    /// - Parameter note: why it cannot be made.
    package func suppress(_ campaign: CampaignID, device: Int64, contact: Int64, note: String, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO deliveries (campaign_id, device_id, contact_id, state, reason, note, attempts, updated_at)
            VALUES (?, ?, ?, 'suppressed', ?, ?, 0, ?)
            ON CONFLICT (campaign_id, device_id) DO UPDATE SET state = 'suppressed', reason = excluded.reason,
                note = excluded.note, contact_id = excluded.contact_id, updated_at = excluded.updated_at
            WHERE deliveries.state IN ('pending', 'suppressed')
            """,
            [
                .integer(campaign.number), .integer(device), .integer(contact),
                .text(DeliveryReason.renderError.rawValue), .text(note), .date(now),
            ]
        )
    }
}

extension SQLConnection {
    package var inAppDeliveries: InAppDeliveryRepository { InAppDeliveryRepository(connection: self) }
}
