import BelfryModel
import Foundation

/// The ledger of in-app campaigns: what a device has downloaded is accepted (LED-1).
extension DeliveryRepository {
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
    package func suppressDownload(
        _ campaign: CampaignID, device: Int64, contact: Int64, note: String, now: Date
    ) throws {
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
