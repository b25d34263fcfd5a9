import BelfryModel
import Foundation

/// A message in a message center, without its content.
package struct MessagePlace: Hashable, Sendable {
    package let campaign: CampaignID
    /// When the message was placed.
    package let sentAt: Date
    package let position: StoredMessage.Position
}

extension StoredMessage {
    package var place: MessagePlace {
        MessagePlace(campaign: message.campaign, sentAt: message.sentAt, position: position)
    }
}

extension PersonRepository {
    /// The positions of the messages of a contact or an installation, in the order of ``messages(of:after:limit:)``.
    package func places(
        of holder: Int64, after position: StoredMessage.Position?, limit: Int
    ) throws -> [MessagePlace] {
        let start = position ?? .start
        return try connection.query(
            """
            SELECT center, sent_at, campaign_id FROM center_messages
            WHERE contact_id = ? AND (center, sent_at, campaign_id) > (?, ?, ?)
            ORDER BY center, sent_at, campaign_id LIMIT ?
            """,
            [
                .integer(holder), .text(start.center), .integer(start.sentAt), .integer(start.campaign),
                .integer(limit),
            ]
        ) { row in
            let number = row.integer(2)
            guard let campaign = CampaignID(number) else {
                throw StoreError.corrupted(table: "center_messages", key: String(number))
            }
            return MessagePlace(
                campaign: campaign, sentAt: row.date(1),
                position: StoredMessage.Position(center: row.text(0), sentAt: row.integer(1), campaign: number)
            )
        }
    }
}
