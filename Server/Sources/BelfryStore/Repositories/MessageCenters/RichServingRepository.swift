import BelfryModel
import Foundation

/// Who has got the rich content of which message: it is served once for each device (MC-9).
package struct RichServingRepository {
    /// What a request for rich content meets.
    package enum Serving: Hashable, Sendable {
        /// Nobody has asked for this device before.
        case first
        /// The same request again: its answer was lost.
        case repeated
        /// It was served before, for another key, or too long ago.
        case refused
    }

    let connection: any SQLConnection

    /// Whether a device gets the content for this key, which is remembered. The same key may ask again for
    /// ``MessageCenterLimits/richContentRepetition`` (WIRE-11).
    package func serve(
        contact: Int64, campaign: CampaignID, device: Int64, key: String, now: Date
    ) throws -> Serving {
        let place: [SQLValue] = [.integer(contact), .integer(campaign.number), .integer(device)]
        let former = try connection.first(
            """
            SELECT request_key, served_at FROM rich_servings
            WHERE contact_id = ? AND campaign_id = ? AND device_id = ?
            """,
            place
        ) { (key: $0.text(0), servedAt: $0.date(1)) }
        guard let former else {
            try connection.execute(
                """
                INSERT INTO rich_servings (contact_id, campaign_id, device_id, request_key, served_at)
                VALUES (?, ?, ?, ?, ?)
                """,
                place + [.text(key), .date(now)]
            )
            return .first
        }
        let ends = former.servedAt.addingTimeInterval(MessageCenterLimits.richContentRepetition)
        // By their bytes: for Swift the two spellings of "é" are one.
        return former.key.utf8.elementsEqual(key.utf8) && now < ends ? .repeated : .refused
    }

    /// Nothing was served to this device: what it had of the contact's is gone from it.
    package func forget(contact: Int64, device: Int64) throws {
        try connection.execute(
            "DELETE FROM rich_servings WHERE contact_id = ? AND device_id = ?", [.integer(contact), .integer(device)]
        )
    }
}

extension SQLConnection {
    package var richServings: RichServingRepository { RichServingRepository(connection: self) }
}
