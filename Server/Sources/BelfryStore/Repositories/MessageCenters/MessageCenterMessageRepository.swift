import BelfryModel
import Foundation

/// The messages of contacts and installations, center by center (MC-5), and what was done with them (MC-14). What is
/// called the contact here is the number of a ``MessageHolder``.
package struct MessageCenterMessageRepository {
    let connection: any SQLConnection

    /// Keeps messages, each once: a contact that has one of the campaign keeps what it has, whatever became of it. A
    /// contact or a device that is gone, or a contact that went into another, gets none. Returns how many are new.
    @discardableResult
    package func keep(_ messages: [KeptMessage]) throws -> Int {
        let (own, others) = (messages.filter { $0.contact < 0 }, messages.filter { $0.contact >= 0 })
        return try keep(others, if: "SELECT 1 FROM contacts WHERE id = ? AND merged_into IS NULL", { $0.contact })
            + keep(own, if: "SELECT 1 FROM devices WHERE id = ?", { -$0.contact })
    }

    /// - Parameters:
    ///   - condition: whether the holder is there.
    ///   - number: its argument.
    private func keep(
        _ messages: [KeptMessage], if condition: SQLText, _ number: (KeptMessage) -> Int64
    ) throws -> Int {
        guard !messages.isEmpty else { return 0 }
        return try connection.executeEach(
            // A column of nulls only would be a text to PostgreSQL.
            """
            INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, expires_at, state,
                body, rich_html, made_from)
            SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT),
                CAST(? AS TEXT), CAST(? AS BIGINT), 'unread', CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
            WHERE EXISTS (\(condition)) ON CONFLICT DO NOTHING
            """,
            messages.map {
                [
                    .integer($0.contact), .text($0.center.rawValue), .date($0.sentAt), .integer($0.campaign.number),
                    .integer($0.app), .text($0.variant ?? ""), .optional($0.expiresAt), .optional($0.body),
                    .optional($0.richHTML), .optional($0.madeFrom), .integer(number($0)),
                ]
            }
        )
    }

    /// Keeps what a campaign says, once for all that get the same of it; the first words stand.
    package func saveContent(campaign: CampaignID, variant: String?, body: String, richHTML: String?) throws {
        try connection.execute(
            """
            INSERT INTO center_contents (campaign_id, variant, body, rich_html) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.integer(campaign.number), .text(variant ?? ""), .text(body), .optional(richHTML)]
        )
    }

    /// The message that a contact has of a campaign, also when nobody may see it any more.
    package func find(contact: Int64, campaign: CampaignID) throws -> MessageCenterMessageRow? {
        try connection.first(
            Self.findSQL, [.integer(contact), .integer(campaign.number)], MessageCenterMessageRow.init)
    }

    /// The contact and the campaign are its arguments.
    package static let findSQL: SQLText = """
        SELECT \(MessageCenterMessageRow.columns) FROM center_messages m WHERE m.contact_id = ? AND m.campaign_id = ?
        """

    /// Those of some campaigns of which a contact has a message, also when nobody may see it any more.
    package func campaigns(_ ids: [CampaignID], of contact: Int64) throws -> Set<CampaignID> {
        guard !ids.isEmpty else { return [] }
        let found = try connection.query(
            """
            SELECT campaign_id FROM center_messages
            WHERE contact_id = ? AND campaign_id IN (\(connection.dialect.integers))
            """,
            [.integer(contact), .integers(ids.map(\.number))]
        ) { CampaignID($0.integer(0)) }
        return Set(found.compactMap(\.self))
    }

    /// The HTML of a message; nil when it has none, or is not there.
    package func richHTML(contact: Int64, campaign: CampaignID) throws -> String? {
        try connection.first(
            """
            SELECT \(MessageCenterMessageRow.own("rich_html")) FROM center_messages m
            WHERE m.contact_id = ? AND m.campaign_id = ?
            """,
            [.integer(contact), .integer(campaign.number)]
        ) { $0.optionalText(0) } ?? nil
    }

    /// Joins a state with the one that is there: a message goes from unread to read to deleted, and never back. False
    /// when the contact has no such message.
    package func setState(_ state: MessageState, contact: Int64, campaign: CampaignID, at: Date) throws -> Bool {
        let key: [SQLValue] = [.integer(contact), .integer(campaign.number)]
        let earlier = MessageState.allCases.filter { $0.joined(state) != $0 }.map { "\(word: $0)" as SQLText }
        if !earlier.isEmpty {
            let changed = try connection.execute(
                """
                UPDATE center_messages SET state = ?, state_at = ?
                WHERE contact_id = ? AND campaign_id = ? AND state IN (\(earlier.joined(by: ", ")))
                """,
                [.text(state.rawValue), .date(at)] + key
            )
            if changed > 0 { return true }
        }
        let found = try connection.first(
            "SELECT 1 FROM center_messages WHERE contact_id = ? AND campaign_id = ?", key
        ) { $0.flag(0) }
        return found ?? false
    }

    /// Removes all that a contact or an installation has in its centers (REG-36).
    package func erase(contact: Int64) throws {
        try connection.execute("DELETE FROM center_messages WHERE contact_id = ?", [.integer(contact)])
        try connection.execute("DELETE FROM rich_confirmations WHERE contact_id = ?", [.integer(contact)])
    }

    /// How many messages a transaction removes. Each may have a text of its own, which may be long (SEC-2).
    static let removedAtOnce = 1_000

    /// Removes some of what a contact or an installation has in its centers, as much as there is room for.
    ///
    /// - Parameter campaigns: only what it has of these; nil: all.
    /// - Returns: how many messages went, and whether those were all.
    package func eraseSome(
        of contact: Int64, only campaigns: [CampaignID]? = nil, in room: inout MoveRoom
    ) throws -> (count: Int, areAll: Bool) {
        if let campaigns, campaigns.isEmpty { return (0, true) }
        guard room.messages > 0, room.bytes > 0 else { return (0, false) }
        let limit = room.messages
        let among: SQLText = campaigns == nil ? "" : " AND campaign_id IN (\(connection.dialect.integers))"
        let listed = campaigns.map { [SQLValue.integers($0.map(\.number))] } ?? []
        var bytes = ByteRoom(room.bytes)
        let found = try connection.query(
            """
            SELECT campaign_id, body, rich_html FROM center_messages WHERE contact_id = ?\(among)
            ORDER BY center, sent_at, campaign_id LIMIT ?
            """,
            [.integer(contact)] + listed + [.integer(limit)], texts: [1, 2], in: &bytes
        ) { $0.integer(0) }
        room.messages -= found.count
        room.bytes = bytes.left
        let count = try erase(ofCampaigns: found, of: contact)
        let areAll = !bytes.isCut && found.count < limit
        // What was confirmed of messages that had gone before.
        if areAll, campaigns == nil { try erase(contact: contact) }
        return (count, areAll)
    }

    /// Returns how many messages that was.
    private func erase(ofCampaigns numbers: [Int64], of contact: Int64) throws -> Int {
        guard !numbers.isEmpty else { return 0 }
        let condition: SQLText = "contact_id = ? AND campaign_id IN (\(connection.dialect.integers))"
        let arguments: [SQLValue] = [.integer(contact), .integers(numbers)]
        try connection.execute("DELETE FROM rich_confirmations WHERE \(condition)", arguments)
        return try connection.execute("DELETE FROM center_messages WHERE \(condition)", arguments)
    }

    /// Removes from an installation's inbox what was made from the values of a contact that is a person's by now, or is
    /// erased (MC-15).
    package func erase(madeFrom contact: Int64, device: Int64) throws {
        try connection.execute(
            "DELETE FROM center_messages WHERE contact_id = ? AND made_from = ?",
            [.integer(MessageHolder.installation(device).number), .integer(contact)]
        )
    }

    /// The same of several devices and of a person, also under contacts that became theirs.
    package func erase(madeFromPerson contact: Int64, devices: [Int64]) throws {
        try connection.executeEach(
            Self.eraseMadeFromSQL,
            devices.map { [.integer(MessageHolder.installation($0).number), .integer(contact)] }
        )
    }

    /// The holder and the contact are its arguments.
    package static let eraseMadeFromSQL: SQLText = """
        DELETE FROM center_messages WHERE contact_id = ? AND \(ContactRepository.surviving(in: "made_from")) = ?
        """

    /// What was made from the values of one anonymous contact counts as made from another's, to which they have gone
    /// (REG-23).
    package func reassign(madeFrom contact: Int64, to other: Int64, device: Int64) throws {
        try connection.execute(
            "UPDATE center_messages SET made_from = ? WHERE contact_id = ? AND made_from = ?",
            [.integer(other), .integer(MessageHolder.installation(device).number), .integer(contact)]
        )
    }

    /// An installation's inbox becomes that of another, which took its contact over (REG-23). A campaign's message that
    /// both have stays the other's.
    package func moveInbox(of device: Int64, to other: Int64) throws {
        let (former, present) = (
            MessageHolder.installation(device).number, MessageHolder.installation(other).number
        )
        try give(all: former, to: present)
    }

    /// Gives the messages of one holder to another, who keeps its own of a campaign of which both have one. They are
    /// inserted there and removed here: rows of another holder may be on another server (FLEET-5). The former one has
    /// nothing in its centers then.
    func give(all former: Int64, to present: Int64) throws {
        let columns: SQLText = """
            center, sent_at, campaign_id, app_id, variant, expires_at, state, state_at, body, rich_html, made_from,
            recalled_at
            """
        try connection.execute(
            """
            INSERT INTO center_messages (contact_id, \(columns))
            SELECT CAST(? AS BIGINT), \(columns) FROM center_messages WHERE contact_id = ?
            ON CONFLICT (campaign_id, contact_id) DO NOTHING
            """,
            [.integer(present), .integer(former)]
        )
        try erase(contact: former)
    }
}

extension SQLConnection {
    package var centerMessages: MessageCenterMessageRepository { MessageCenterMessageRepository(connection: self) }
}
