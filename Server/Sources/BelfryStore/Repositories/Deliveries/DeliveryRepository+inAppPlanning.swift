import BelfryModel
import BelfryServerModel
import Foundation

/// How the audience of an in-app campaign comes into the ledger, and how the ledger is closed when the campaign is over
/// (LED-1). Between the two, devices download by themselves.
extension DeliveryRepository {
    /// Writes devices of an audience into the ledger as pending. Who stands there from an earlier walk, or because of a
    /// download, stays as they are, and who is gone meanwhile stays out.
    package func planInApp(_ campaign: CampaignID, app: Int64, members: [AudienceMember], now: Date) throws {
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

    /// Ends what a range of devices has pending.
    package func endPending(
        of campaign: CampaignID, devices: ClosedRange<Int64>, as state: DeliveryState, reason: DeliveryReason, now: Date
    ) throws {
        try connection.execute(
            """
            UPDATE deliveries SET state = ?, reason = ?, retry_at = NULL, updated_at = ?
            WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND state = 'pending'
            """,
            [
                .text(state.rawValue), .text(reason.rawValue), .date(now), .integer(campaign.number),
                .integer(devices.lowerBound), .integer(devices.upperBound),
            ]
        )
    }
}
