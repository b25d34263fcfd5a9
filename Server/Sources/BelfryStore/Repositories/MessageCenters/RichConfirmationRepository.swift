import BelfryModel
import Foundation

/// Which device has stored the rich content of which message: the content is delivered until then (MC-9, WIRE-11). The
/// contact's number here is the number of a ``MessageHolder``.
package struct RichConfirmationRepository {
    let connection: any SQLConnection

    package func contains(contact: Int64, campaign: CampaignID, device: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM rich_confirmations WHERE contact_id = ? AND campaign_id = ? AND device_id = ?",
            [.integer(contact), .integer(campaign.number), .integer(device)]
        ) { $0.flag(0) } ?? false
    }

    /// Records a confirmation; of repeated ones the first moment stays.
    package func insert(contact: Int64, campaign: CampaignID, device: Int64, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO rich_confirmations (contact_id, campaign_id, device_id, confirmed_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.integer(contact), .integer(campaign.number), .integer(device), .date(now)]
        )
    }

    /// Deletes a confirmation, because the device no longer has the content.
    package func delete(contact: Int64, campaign: CampaignID, device: Int64) throws {
        try connection.execute(
            "DELETE FROM rich_confirmations WHERE contact_id = ? AND campaign_id = ? AND device_id = ?",
            [.integer(contact), .integer(campaign.number), .integer(device)]
        )
    }

    /// Deletes a device's confirmations for a contact, or for its own installation, because the device no longer has
    /// the content.
    package func forget(contact: Int64, device: Int64) throws {
        for holder in [MessageHolder.contact(contact), .installation(device)] {
            try connection.execute(
                "DELETE FROM rich_confirmations WHERE contact_id = ? AND device_id = ?",
                [.integer(holder.number), .integer(device)]
            )
        }
    }
}

extension SQLConnection {
    package var richConfirmations: RichConfirmationRepository { RichConfirmationRepository(connection: self) }
}
