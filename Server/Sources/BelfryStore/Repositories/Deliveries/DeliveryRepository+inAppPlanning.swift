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
