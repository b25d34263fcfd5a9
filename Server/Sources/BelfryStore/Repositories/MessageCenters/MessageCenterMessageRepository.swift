import BelfryModel
import Foundation

/// The messages of contacts and installations in each message center (MC-5), and their states (MC-14). The contact's
/// number here is the number of a ``MessageHolder``.
package struct MessageCenterMessageRepository {
    let connection: any SQLConnection

    /// Stores messages, each once: a contact that has, or had, a message of the campaign keeps that one. Contacts and
    /// devices that no longer exist, and contacts that were merged into another, get none. Returns how many are new.
    @discardableResult
    package func keep(_ messages: [KeptMessage]) throws -> Int {
        let (own, others) = (messages.filter { $0.contact < 0 }, messages.filter { $0.contact >= 0 })
        return try keep(others, if: "SELECT 1 FROM contacts WHERE id = ? AND merged_into IS NULL", { $0.contact })
            + keep(own, if: "SELECT 1 FROM devices WHERE id = ?", { -$0.contact })
    }

    /// - Parameters:
    ///   - condition: SQL for whether the holder exists.
    ///   - number: the argument of the condition.
    private func keep(
        _ messages: [KeptMessage], if condition: SQLText, _ number: (KeptMessage) -> Int64
    ) throws -> Int {
        guard !messages.isEmpty else { return 0 }
        return try connection.executeEach(
            // PostgreSQL would treat a column of only nulls as a text.
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

    /// Stores a campaign's content once for all holders that get the same text; an existing content is not changed.
    package func saveContent(campaign: CampaignID, variant: String?, body: String, richHTML: String?) throws {
        try connection.execute(
            """
            INSERT INTO center_contents (campaign_id, variant, body, rich_html) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.integer(campaign.number), .text(variant ?? ""), .text(body), .optional(richHTML)]
        )
    }

    /// A contact's message of a campaign, even if it is no longer visible.
    package func find(contact: Int64, campaign: CampaignID) throws -> MessageCenterMessageRow? {
        try connection.first(
            Self.findSQL, [.integer(contact), .integer(campaign.number)], MessageCenterMessageRow.init)
    }

    /// Its arguments are the contact and the campaign.
    package static let findSQL: SQLText = """
        SELECT \(MessageCenterMessageRow.columns) FROM center_messages m WHERE m.contact_id = ? AND m.campaign_id = ?
        """

    /// The given campaigns of which a contact has a message, even if it is no longer visible.
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

    /// The HTML of a message; nil if the message has none, or does not exist.
    package func richHTML(contact: Int64, campaign: CampaignID) throws -> String? {
        try connection.first(
            """
            SELECT \(MessageCenterMessageRow.own("rich_html")) FROM center_messages m
            WHERE m.contact_id = ? AND m.campaign_id = ?
            """,
            [.integer(contact), .integer(campaign.number)]
        ) { $0.optionalText(0) } ?? nil
    }

    /// Merges a state into the present one: a message goes from unread to read to deleted, and never back. False if the
    /// contact has no such message.
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

    /// Deletes all messages of a contact or an installation (REG-36).
    package func erase(contact: Int64) throws {
        try connection.execute("DELETE FROM center_messages WHERE contact_id = ?", [.integer(contact)])
        try connection.execute("DELETE FROM rich_confirmations WHERE contact_id = ?", [.integer(contact)])
    }

    /// How many messages a transaction moves or deletes. Each may have a long text of its own (SEC-2).
    static let takenAtOnce = 1_000

    /// Deletes some messages of a contact or an installation, as many as there is room for.
    ///
    /// - Parameter campaigns: only messages of these campaigns; nil: all messages.
    /// - Returns: how many messages were deleted, and whether those were all.
    package func eraseSome(
        of contact: Int64, only campaigns: [CampaignID]? = nil, in room: inout MoveRoom
    ) throws -> (count: Int, areAll: Bool) {
        if let campaigns, campaigns.isEmpty { return (0, true) }
        let among: SQLText = campaigns == nil ? "" : " AND campaign_id IN (\(connection.dialect.integers))"
        let listed = campaigns.map { [SQLValue.integers($0.map(\.number))] } ?? []
        let (found, areAll) = try take(
            """
            SELECT campaign_id, made_from, body, rich_html FROM center_messages WHERE contact_id = ?\(among)
            ORDER BY center, sent_at, campaign_id LIMIT ?
            """,
            [.integer(contact)] + listed, in: &room
        )
        let count = try erase(ofCampaigns: found.map(\.campaign), of: contact)
        // Confirmations of messages that were deleted before.
        if areAll, campaigns == nil { try erase(contact: contact) }
        return (count, areAll)
    }

    /// A message that a transaction moves or deletes.
    private struct TakenMessage {
        let campaign: Int64
        let madeFrom: Int64?
    }

    /// Reads which messages there is room for.
    ///
    /// - Parameter sql: selects the columns of ``TakenMessage`` and both texts; its last argument is the limit.
    /// - Returns: the messages, and whether those are all.
    private func take(
        _ sql: SQLText, _ arguments: [SQLValue], in room: inout MoveRoom
    ) throws -> (messages: [TakenMessage], areAll: Bool) {
        guard room.messages > 0, room.bytes > 0 else { return ([], false) }
        let limit = room.messages
        var bytes = ByteRoom(room.bytes)
        let found = try connection.query(sql, arguments + [.integer(limit)], texts: [2, 3], in: &bytes) {
            TakenMessage(campaign: $0.integer(0), madeFrom: $0.optionalInteger(1))
        }
        room.messages -= found.count
        room.bytes = bytes.left
        return (found, !bytes.isCut && found.count < limit)
    }

    /// Deletes a contact's messages of these campaigns; returns how many.
    private func erase(ofCampaigns numbers: [Int64], of contact: Int64) throws -> Int {
        guard !numbers.isEmpty else { return 0 }
        let condition: SQLText = "contact_id = ? AND campaign_id IN (\(connection.dialect.integers))"
        let arguments: [SQLValue] = [.integer(contact), .integers(numbers)]
        try connection.execute("DELETE FROM rich_confirmations WHERE \(condition)", arguments)
        return try connection.execute("DELETE FROM center_messages WHERE \(condition)", arguments)
    }

    /// Deletes from an installation's inbox the messages whose text was made from the values of a contact that now
    /// belongs to a person, or is erased (MC-15).
    package func erase(madeFrom contact: Int64, device: Int64) throws {
        try connection.execute(
            "DELETE FROM center_messages WHERE contact_id = ? AND made_from = ?",
            [.integer(MessageHolder.installation(device).number), .integer(contact)]
        )
    }

    /// Deletes from several devices' inboxes the messages made from the values of a person, including contacts merged
    /// into the person's.
    package func erase(madeFromPerson contact: Int64, devices: [Int64]) throws {
        guard !connection.dialect.isDistributed else { return try eraseInTurn(madeFromPerson: contact, devices) }
        try connection.executeEach(
            Self.eraseMadeFromSQL,
            devices.map { [.integer(MessageHolder.installation($0).number), .integer(contact)] }
        )
    }

    /// The same where the contacts are on other servers than an installation's inbox (FLEET-5).
    private func eraseInTurn(madeFromPerson contact: Int64, _ devices: [Int64]) throws {
        for device in devices {
            let holder = SQLValue.integer(MessageHolder.installation(device).number)
            let isTheirs = try connection.contactParts.isPart(
                "made_from", of: contact,
                among: """
                    SELECT DISTINCT made_from FROM center_messages
                    WHERE contact_id = \(bind: holder) AND made_from IS NOT NULL
                    """
            )
            try connection.execute(
                "DELETE FROM center_messages WHERE contact_id = ? AND \(isTheirs.sql)", [holder] + isTheirs.arguments
            )
        }
    }

    /// Its arguments are the holder and the contact.
    package static let eraseMadeFromSQL: SQLText = """
        DELETE FROM center_messages WHERE contact_id = ? AND \(ContactRepository.surviving(in: "made_from")) = ?
        """

    /// Records that texts made from the values of one anonymous contact count as made from those of another, which has
    /// taken the values over (REG-23).
    package func reassign(madeFrom contact: Int64, to other: Int64, device: Int64) throws {
        try connection.execute(
            "UPDATE center_messages SET made_from = ? WHERE contact_id = ? AND made_from = ?",
            [.integer(other), .integer(MessageHolder.installation(device).number), .integer(contact)]
        )
    }

    /// Moves some messages of an installation's inbox to another installation that has taken its contact over, as many
    /// as there is room for (REG-23). If both have a message of a campaign, the other one's stays. A message that was
    /// made from the values of somebody else than the present user is deleted (MC-15).
    ///
    /// - Parameter person: the contact that the other installation has.
    /// - Returns: whether the first installation has no messages left.
    func moveInbox(
        of device: Int64, to other: Int64, for person: Int64?, in room: inout MoveRoom
    ) throws -> Bool {
        let inbox = MessageHolder.installation(device).number
        let (found, areAll) = try newest(of: inbox, in: &room)
        let present = try connection.contacts.survivors(of: Set(found.compactMap(\.madeFrom)))
        let theirs = found.filter { message in
            guard let contact = message.madeFrom else { return true }
            return person != nil && present[contact] == person
        }
        try give(theirs, of: inbox, to: MessageHolder.installation(other).number)
        _ = try erase(ofCampaigns: found.map(\.campaign), of: inbox)
        if areAll { try erase(contact: inbox) }
        return areAll
    }

    /// Moves some messages of one contact to another, as many as there is room for. If both have a message of the same
    /// campaign, the other contact keeps its own, in the more advanced state.
    ///
    /// - Returns: whether the first contact has no messages and no confirmations left.
    package func moveSome(from contact: Int64, to other: Int64, in room: inout MoveRoom) throws -> Bool {
        let (found, areAll) = try newest(of: contact, in: &room)
        try joinStates(of: found, from: contact, to: other)
        try give(found, of: contact, to: other)
        _ = try erase(ofCampaigns: found.map(\.campaign), of: contact)
        if areAll { try erase(contact: contact) }
        return areAll
    }

    private func joinStates(of messages: [TakenMessage], from contact: Int64, to other: Int64) throws {
        let both = try campaigns(messages.compactMap { CampaignID($0.campaign) }, of: other)
        guard !both.isEmpty else { return }
        let states = try connection.query(
            """
            SELECT campaign_id, state, state_at FROM center_messages
            WHERE contact_id = ? AND state <> 'unread' AND campaign_id IN (\(connection.dialect.integers))
            """,
            [.integer(contact), .integers(both.map(\.number))]
        ) { (campaign: CampaignID($0.integer(0)), state: MessageState(rawValue: $0.text(1)), at: $0.optionalDate(2)) }
        for case (let campaign?, let state?, let at?) in states {
            _ = try setState(state, contact: other, campaign: campaign, at: at)
        }
    }

    /// The next messages to move: of each center the newest first, in the order of the table.
    private func newest(
        of holder: Int64, in room: inout MoveRoom
    ) throws -> (messages: [TakenMessage], areAll: Bool) {
        try take(
            """
            SELECT campaign_id, made_from, body, rich_html FROM center_messages WHERE contact_id = ?
            ORDER BY center DESC, sent_at DESC, campaign_id DESC LIMIT ?
            """,
            [.integer(holder)], in: &room
        )
    }

    /// Inserts messages of one holder for another, who keeps their own if both have one of a campaign. They are inserted
    /// and not changed, since rows of another holder may be on another server (FLEET-5).
    private func give(_ messages: [TakenMessage], of former: Int64, to present: Int64) throws {
        guard !messages.isEmpty else { return }
        let columns: SQLText = """
            center, sent_at, campaign_id, app_id, variant, expires_at, state, state_at, body, rich_html, made_from,
            recalled_at
            """
        try connection.execute(
            """
            INSERT INTO center_messages (contact_id, \(columns))
            SELECT CAST(? AS BIGINT), \(columns) FROM center_messages
            WHERE contact_id = ? AND campaign_id IN (\(connection.dialect.integers))
            ON CONFLICT (campaign_id, contact_id) DO NOTHING
            """,
            [.integer(present), .integer(former), .integers(messages.map(\.campaign))]
        )
    }
}

extension SQLConnection {
    package var centerMessages: MessageCenterMessageRepository { MessageCenterMessageRepository(connection: self) }
}
