import BelfryModel
import BelfryServerModel
import Foundation

/// The rows of in-app campaigns in the ledger: how their audience comes into it, and that what a device has downloaded is
/// accepted (LED-1).
package struct InAppDeliveryRepository {
    let connection: any SQLConnection

    /// Writes devices of an audience into the ledger as pending. Who stands there from an earlier walk, or because of a
    /// download, stays as they are, and who is gone meanwhile stays out.
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

    /// Those of these devices that nobody has told of a campaign's message: their contact has no copy of it, and the
    /// ledger does not say that it waits for them, or cannot be made for their contact (IAM-15).
    package func untold(of campaign: CampaignID, among devices: [Int64]) throws -> [AudienceMember] {
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

    /// The next rows of a campaign's ledger, in the order of their devices.
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

    /// Notes what a device downloads. It may have come into the audience after the campaign was planned, and what could
    /// not be made for it before may be made now.
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

    /// Notes that the message cannot be made for a device. What it has downloaded of an earlier version stays accepted.
    ///
    /// - Parameter note: what is wrong with it.
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
