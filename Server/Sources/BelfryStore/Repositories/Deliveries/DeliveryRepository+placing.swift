import BelfryModel
import BelfryServerModel
import Foundation

/// Ledger rows of message center campaigns whose message is already placed while the badge push is still pending
/// (BADGE-1).
extension DeliveryRepository {
    private static let isPlaced: SQLText = "state = 'pending' AND placed <> 0"

    /// Records in whose inbox the message of each of these devices was placed: the device's present holder, or none.
    ///
    /// - Parameters:
    ///   - known: those of their contacts that are known. The caller has just read them
    ///     (``DeviceRepository/contacts(of:)``), so the statement need not look up contacts, which are on other servers
    ///     (FLEET-5).
    ///   - hasMessage: whether a message was placed at all.
    package func settlePlacing(
        of devices: [Int64], known: Set<Int64>, campaign: CampaignID, hasMessage: Bool
    ) throws {
        guard !devices.isEmpty else { return }
        // For several servers the conditions of each table say which shards are asked (FLEET-5).
        let isOfThese: SQLFragment =
            connection.dialect.isDistributed ? " AND \(connection.dialect.isAmong(devices, "d.id"))" : ""
        let holder = SQLFragment(
            """
            coalesce((SELECT CASE WHEN d.contact_id IN (\(connection.dialect.integers)) THEN d.contact_id ELSE -d.id END
                FROM devices d WHERE d.id = deliveries.device_id AND d.contact_id IS NOT NULL\(isOfThese.sql)), 0)
            """,
            [.integers(known.sorted())] + isOfThese.arguments
        )
        let value: SQLFragment = hasMessage ? holder : "0"
        let areChosen = connection.dialect.isOneOf(devices, "device_id", isFirst: false)
        try connection.execute(
            """
            UPDATE deliveries SET placed = \(value.sql)
            WHERE campaign_id = ? AND \(areChosen.sql) AND placed IS NULL
            """,
            value.arguments + [.integer(campaign.number)] + areChosen.arguments
        )
    }

    /// Sets the placed rows of a batch to accepted if the campaign only places messages: the badge push is given up.
    ///
    /// - Parameter noting: makes the new note from the row's present note.
    package func acceptPlaced(of batch: Batch, now: Date, noting: (String?) -> String?) throws {
        let areOfBatch = batch.holds("device_id", connection.dialect)
        let condition: SQLText = """
            campaign_id = ? AND \(areOfBatch.sql) AND \(Self.isPlaced)
                AND (SELECT kind FROM campaigns WHERE id = ?) = 'messageCenter'
            """
        let arguments: [SQLValue] =
            [.integer(batch.campaign.number)] + areOfBatch.arguments + [.integer(batch.campaign.number)]
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
