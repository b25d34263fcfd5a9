import BelfryModel
import Foundation

/// A placed message with the names of its holder, for operators (MC-16).
package struct PlacedMessageRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let holder: MessageHolder
    /// The key of the holder, if it is a contact.
    package let contactKey: String?
    /// The id of the holder, if it is an existing installation, dormant or not.
    package fileprivate(set) var client: String?
    package let center: MessageCenterName
    package let sentAt: Date
    package let expiresAt: Date?
    package let state: MessageState
    /// When an operator recalled the message.
    package let recalledAt: Date?
}

extension PlacedMessageRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case campaign, holder, contactKey, center, sentAt, expiresAt, state, recalledAt

        var sql: SQLText {
            switch self {
            case .campaign: "m.campaign_id"
            case .holder: "m.contact_id"
            case .contactKey: "c.contact_key"
            case .center: "m.center"
            case .sentAt: "m.sent_at"
            case .expiresAt: "m.expires_at"
            case .state: "m.state"
            case .recalledAt: "m.recalled_at"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let campaign = CampaignID(row.integer(.campaign)), let state = MessageState(rawValue: row.text(.state))
        else { throw StoreError.corrupted(table: "center_messages", key: String(row.integer(.campaign))) }
        self.init(
            campaign: campaign, holder: MessageHolder(number: row.integer(.holder)),
            contactKey: row.optionalText(.contactKey), center: MessageCenterName(stored: row.text(.center)),
            sentAt: row.date(.sentAt),
            expiresAt: row.optionalDate(.expiresAt), state: state, recalledAt: row.optionalDate(.recalledAt)
        )
    }
}

/// The messages that campaigns have placed, by campaign and by holder.
package struct PlacedMessageRepository {
    let connection: any SQLConnection

    /// The messages with those holders that are contacts. Devices are on other servers (FLEET-5), so they are read
    /// after the messages.
    private static let source: SQLText = "center_messages m LEFT JOIN contacts c ON c.id = m.contact_id"

    private func withClients(_ messages: [PlacedMessageRow]) throws -> [PlacedMessageRow] {
        let devices = messages.compactMap { message -> Int64? in
            guard case .installation(let device) = message.holder else { return nil }
            return device
        }
        let clients = try connection.devices.clients(of: Array(Set(devices)))
        return messages.map { message in
            guard case .installation(let device) = message.holder else { return message }
            var named = message
            named.client = clients[device]
            return named
        }
    }

    /// A campaign's messages, ordered by holder number.
    package func ofCampaign(_ id: CampaignID, after holder: Int64?, limit: Int) throws -> [PlacedMessageRow] {
        let found = try connection.query(
            """
            SELECT \(PlacedMessageRow.columns) FROM \(Self.source)
            WHERE m.campaign_id = ? AND m.contact_id > ? ORDER BY m.contact_id LIMIT ?
            """,
            [.integer(id.number), .integer(holder ?? .min), .integer(limit)], PlacedMessageRow.init
        )
        return try withClients(found)
    }

    /// The messages of some holders, the newest campaign first, older than the cursor.
    package func ofHolders(
        _ holders: [MessageHolder], before campaign: Int64?, limit: Int
    ) throws -> [PlacedMessageRow] {
        let found = try connection.query(
            """
            SELECT \(PlacedMessageRow.columns) FROM \(Self.source)
            WHERE m.contact_id IN (\(connection.dialect.integers)) AND m.campaign_id < ?
            ORDER BY m.campaign_id DESC, m.contact_id LIMIT ?
            """,
            [.integers(holders.map(\.number)), .integer(campaign ?? .max), .integer(limit)], PlacedMessageRow.init
        )
        return try withClients(found)
    }

    /// The campaign's message of the first of these holders that has one.
    package func first(of id: CampaignID, among holders: [MessageHolder]) throws -> PlacedMessageRow? {
        for holder in holders {
            let found = try connection.first(
                "SELECT \(PlacedMessageRow.columns) FROM \(Self.source) WHERE m.campaign_id = ? AND m.contact_id = ?",
                [.integer(id.number), .integer(holder.number)], PlacedMessageRow.init
            )
            if let found { return try withClients([found]).first }
        }
        return nil
    }

    /// Recalls a campaign's message from these holders: it is deleted on all their devices, but stays recorded, so that
    /// it is not placed again.
    ///
    /// - Returns: how many of the holders have the message, recalled now or before.
    package func recall(_ id: CampaignID, from holders: [MessageHolder], at: Date) throws -> Int {
        guard !holders.isEmpty else { return 0 }
        return try connection.execute(
            """
            UPDATE center_messages SET state_at = CASE WHEN state = 'deleted' THEN state_at ELSE ? END,
                state = 'deleted', recalled_at = coalesce(recalled_at, ?)
            WHERE campaign_id = ? AND contact_id IN (\(connection.dialect.integers))
            """,
            [.date(at), .date(at), .integer(id.number), .integers(holders.map(\.number))]
        )
    }
}

extension SQLConnection {
    package var placedMessages: PlacedMessageRepository { PlacedMessageRepository(connection: self) }
}
