import BelfryModel
import Foundation

/// Which device has stored the rich content of which message: it is served until then (MC-9, WIRE-11). What is called
/// the contact here is the number of a ``MessageHolder``.
package struct RichConfirmationRepository {
    let connection: any SQLConnection

    package func contains(contact: Int64, campaign: CampaignID, device: Int64) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM rich_confirmations WHERE contact_id = ? AND campaign_id = ? AND device_id = ?",
            [.integer(contact), .integer(campaign.number), .integer(device)]
        ) { $0.flag(0) } ?? false
    }

    /// Of repetitions the first moment stays.
    package func insert(contact: Int64, campaign: CampaignID, device: Int64, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO rich_confirmations (contact_id, campaign_id, device_id, confirmed_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.integer(contact), .integer(campaign.number), .integer(device), .date(now)]
        )
    }

    /// The device has it no more.
    package func delete(contact: Int64, campaign: CampaignID, device: Int64) throws {
        try connection.execute(
            "DELETE FROM rich_confirmations WHERE contact_id = ? AND campaign_id = ? AND device_id = ?",
            [.integer(contact), .integer(campaign.number), .integer(device)]
        )
    }

    /// What the device had of the contact's, or of its own installation's, is gone from it.
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
