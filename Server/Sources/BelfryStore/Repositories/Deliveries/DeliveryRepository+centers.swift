import BelfryModel
import BelfryServerModel
import Foundation

/// Rows of message-center campaigns whose message lies in its center while the badge push is still under way (BADGE-1).
extension DeliveryRepository {
    private static let isPlaced: SQLText = "state = 'pending' AND placed <> 0"

    /// Notes in whose inbox the message of these devices lies: the holder that each has now, or none.
    ///
    /// - Parameter hasMessage: whether there is one at all.
    package func settlePlacing(of devices: [Int64], campaign: CampaignID, hasMessage: Bool) throws {
        guard !devices.isEmpty else { return }
        let holder: SQLText = """
            coalesce((SELECT CASE WHEN c.known = 1 THEN c.id ELSE -d.id END
                FROM devices d JOIN contacts c ON c.id = d.contact_id WHERE d.id = deliveries.device_id), 0)
            """
        let value: SQLText = hasMessage ? holder : "0"
        let areChosen = connection.dialect.isOneOf(devices, "device_id", isFirst: false)
        try connection.execute(
            """
            UPDATE deliveries SET placed = \(value)
            WHERE campaign_id = ? AND \(areChosen.sql) AND placed IS NULL
            """,
            [.integer(campaign.number)] + areChosen.arguments
        )
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

/// Whom a device is linked to, and whose messages it shows.
package struct DeviceContact: Hashable, Sendable {
    package let contact: Int64?
    package let holder: MessageHolder

    /// Whether it is still this one, or none.
    package func isStill(_ contact: Int64?) -> Bool { self.contact == contact }
}

extension DeviceRepository {
    /// The contact of each of these devices that is still there, nil where it has none; and whose messages it shows.
    package func contacts(of devices: [Int64]) throws -> [Int64: DeviceContact] {
        let entries = try connection.query(
            """
            SELECT d.id, d.contact_id, coalesce(c.known, 0) FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id
            WHERE d.id IN (\(connection.dialect.integers))
            """,
            [.integers(devices)]
        ) { (device: $0.integer(0), contact: $0.optionalInteger(1), isKnown: $0.flag(2)) }
        return entries.reduce(into: [:]) { found, entry in
            let holder = entry.isKnown ? entry.contact.map(MessageHolder.contact) : nil
            found[entry.device] = DeviceContact(
                contact: entry.contact, holder: holder ?? .installation(entry.device)
            )
        }
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
