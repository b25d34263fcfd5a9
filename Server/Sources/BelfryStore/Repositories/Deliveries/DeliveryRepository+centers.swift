import BelfryModel
import BelfryServerModel
import Foundation

/// Rows of message-center campaigns whose message lies in its center while the badge push is still under way (BADGE-1).
extension DeliveryRepository {
    private static let isPlaced: SQLText = "state = 'pending' AND badged IS NOT NULL"

    /// Those of a batch.
    package func placed(of batch: Batch) throws -> Set<Int64> {
        let devices = try connection.query(
            "SELECT device_id FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND \(Self.isPlaced)",
            [
                .integer(batch.campaign.number), .integer(batch.devices.lowerBound),
                .integer(batch.devices.upperBound),
            ]
        ) { $0.integer(0) }
        return Set(devices)
    }

    /// Ends those of a batch as what they are, if its campaign does no more than place messages: the badge push is
    /// given up.
    ///
    /// - Parameter noting: what is noted of it, by the note that stood there.
    package func acceptPlaced(of batch: Batch, now: Date, noting: (String?) -> String?) throws {
        let condition: SQLText = """
            campaign_id = ? AND device_id BETWEEN ? AND ? AND \(Self.isPlaced)
                AND (SELECT kind FROM campaigns WHERE id = ?) = 'messageCenter'
            """
        let arguments: [SQLValue] = [
            .integer(batch.campaign.number), .integer(batch.devices.lowerBound), .integer(batch.devices.upperBound),
            .integer(batch.campaign.number),
        ]
        let notes = try connection.query("SELECT DISTINCT note FROM deliveries WHERE \(condition)", arguments) {
            $0.optionalText(0)
        }
        for note in notes {
            try connection.execute(
                """
                UPDATE deliveries SET state = 'accepted', retry_at = NULL, note = ?, updated_at = ?
                WHERE \(condition) AND note IS NOT DISTINCT FROM ?
                """,
                [.optional(noting(note)), .date(now)] + arguments + [.optional(note)]
            )
        }
    }
}

extension DeviceRepository {
    /// The contact of each of these devices that is still there; nil where it has none.
    package func contacts(of devices: [Int64]) throws -> [Int64: Int64?] {
        let pairs = try connection.query(
            "SELECT id, contact_id FROM devices WHERE id IN (\(connection.dialect.integers))", [.integers(devices)]
        ) { ($0.integer(0), $0.optionalInteger(1)) }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension CampaignRepository {
    /// Those of some campaigns of the app that keep messages in a center, without their content.
    package func keepingMessages(_ ids: [CampaignID], app: Int64) throws -> Set<CampaignID> {
        guard !ids.isEmpty else { return [] }
        let kinds = try connection.query(
            "SELECT id, kind FROM campaigns WHERE id IN (\(connection.dialect.integers)) AND app_id = ?",
            [.integers(ids.map(\.number)), .integer(app)]
        ) { (CampaignID($0.integer(0)), CampaignKind(rawValue: $0.text(1))) }
        return Set(kinds.compactMap { id, kind in kind?.keepsMessage == true ? id : nil })
    }
}
