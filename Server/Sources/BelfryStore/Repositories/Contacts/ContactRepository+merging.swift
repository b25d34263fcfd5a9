import BelfryModel
import Foundation

/// How a contact goes into another: an anonymous one into a known one (ID-8), or any by an operator (ADM-5).
extension ContactRepository {
    /// The contact that stands for this one by now: itself, or the known one that it went into.
    ///
    /// One step is always enough: what has gone into a contact goes on with it (``redirect(_:to:now:)``). Nil for a number
    /// that names nobody any more.
    package func surviving(_ id: Int64) throws -> Int64? {
        try connection.first("SELECT coalesce(merged_into, id) FROM contacts WHERE id = ?", [.integer(id)]) {
            $0.integer(0)
        }
    }

    /// The same of several; those that name nobody any more are missing.
    func survivors(of ids: Set<Int64>) throws -> [Int64: Int64] {
        guard !ids.isEmpty else { return [:] }
        let areThese = connection.dialect.isOneOf(ids.sorted(), "id", isFirst: true)
        return try connection.query(
            "SELECT id, coalesce(merged_into, id) FROM contacts WHERE \(areThese.sql)", areThese.arguments
        ) { ($0.integer(0), $0.integer(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The same of the contact that a column names, as an expression: one look-up by a key for each row. So what is a
    /// person's is found without a list of the contacts that became theirs, of which there may be any number.
    static func surviving(in column: SQLText) -> SQLText {
        "(SELECT coalesce(o.merged_into, o.id) FROM contacts o WHERE o.id = \(column))"
    }

    /// Whether a number names a contact, or one that went into it.
    package func isPart(_ id: Int64, of contact: Int64) throws -> Bool {
        try id == contact || surviving(id) == contact
    }

    /// Those among some contacts that are a contact, or went into it.
    package func parts(of contact: Int64, among ids: [Int64]) throws -> Set<Int64> {
        guard !ids.isEmpty else { return [] }
        let found = try connection.query(
            "SELECT id FROM contacts WHERE id IN (\(connection.dialect.integers)) AND coalesce(merged_into, id) = ?",
            [.integers(ids), .integer(contact)]
        ) { $0.integer(0) }
        return Set(found)
    }

    /// The same, each with whether the app has named it.
    func knowledge(ofParts ids: [Int64], of contact: Int64) throws -> [Int64: Bool] {
        guard !ids.isEmpty else { return [:] }
        return try connection.query(
            """
            SELECT id, known FROM contacts
            WHERE id IN (\(connection.dialect.integers)) AND coalesce(merged_into, id) = ?
            """,
            [.integers(ids), .integer(contact)]
        ) { ($0.integer(0), $0.flag(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// Leads the first contacts that went into one to another: in open mode anybody can have any number of them go into one.
    ///
    /// - Returns: how many it were.
    package func redirectParts(of id: Int64, to contact: Int64, limit: Int) throws -> Int {
        let parts = try merged(into: id, limit: limit)
        guard !parts.isEmpty else { return 0 }
        return try connection.execute(
            "UPDATE contacts SET merged_into = ? WHERE id IN (\(connection.dialect.integers))",
            [.integer(contact), .integers(parts)]
        )
    }

    /// Leaves of a contact nothing but the way to the one that it went into. Its devices have another by then, or get one
    /// in the same transaction: the audience follows them.
    ///
    /// A party identifier that the app linked by is a former key like any other, and goes on being found by its parts.
    package func redirect(_ id: Int64, to contact: Int64, now: Date) throws {
        try connection.centerMessages.erase(contact: id)
        try connection.execute(
            "UPDATE contacts SET merged_into = ? WHERE merged_into = ?", [.integer(contact), .integer(id)]
        )
        try connection.execute(
            """
            UPDATE contacts SET merged_into = ?, attributes = '{}', attributes_at = NULL, party = NULL,
                party_type = CASE WHEN \(Self.isNamedByParty) THEN party_type END,
                party_name = CASE WHEN \(Self.isNamedByParty) THEN party_name END,
                party_number = CASE WHEN \(Self.isNamedByParty) THEN party_number END, last_opened_at = NULL,
                updated_at = \(DeviceRepository.later)
            WHERE id = ?
            """,
            [.integer(contact), .date(now), .date(now), .integer(id)]
        )
        try connection.openings.forget(.contact, id)
    }

    /// Whether the key begins as those of party identifiers do: what describes such a contact is what identifies it.
    private static let isNamedByParty: SQLText = "substr(contact_key, 1, 6) = 'party:'"

    /// Whether a contact is a person that the app knows; false for one that is not there.
    package func isKnown(_ id: Int64) throws -> Bool {
        try connection.first("SELECT known FROM contacts WHERE id = ?", [.integer(id)]) { $0.flag(0) } ?? false
    }

    /// Those of some contacts that the app knows.
    func known(among ids: Set<Int64>) throws -> Set<Int64> {
        guard !ids.isEmpty else { return [] }
        let areThese = connection.dialect.isOneOf(ids.sorted(), "id", isFirst: true)
        let found = try connection.query(
            "SELECT id FROM contacts WHERE known = 1 AND \(areThese.sql)", areThese.arguments
        ) { $0.integer(0) }
        return Set(found)
    }

    /// The contact that a key names now, with whether it is a former key. Unlike ``find(app:key:)`` it follows the keys of
    /// anonymous contacts, too.
    package func holder(of key: String, app: Int64) throws -> (contact: ContactRow, isAlias: Bool)? {
        let place = ContactRow.Column.columnCount
        return try connection.first(Self.holderSQL, [.integer(app), .text(key)]) { row in
            (contact: try ContactRow(row), isAlias: row.flag(place))
        }
    }

    private static let holderSQL: SQLText = """
        SELECT \(ContactRow.Column.selectList(of: "c")), CASE WHEN k.id = c.id THEN 0 ELSE 1 END
        FROM contacts k JOIN contacts c ON c.id = coalesce(k.merged_into, k.id) WHERE k.app_id = ? AND k.contact_key = ?
        """

    /// The number of the row with a key: a contact, or one that went into another.
    package func row(of key: String, app: Int64) throws -> Int64? {
        try connection.first(
            "SELECT id FROM contacts WHERE app_id = ? AND contact_key = ?", [.integer(app), .text(key)]
        ) { $0.integer(0) }
    }

    /// Gives a contact another key and keeps the former one as its alias. Where the key is an alias of the contact
    /// already, the two change places.
    ///
    /// - Returns: the contact as it is then.
    package func rename(_ contact: ContactRow, to key: String, now: Date) throws -> ContactRow {
        let alias = try row(of: key, app: contact.app)
        // No key is empty, so it stands for none for a moment.
        let set: SQLText = "UPDATE contacts SET contact_key = ? WHERE id = ?"
        if let alias { try connection.execute(set, [.text(""), .integer(alias)]) }
        try connection.execute(set, [.text(key), .integer(contact.id)])
        let party = ContactRow.values(of: PartyIdentifier(contactKey: contact.key))
        if let alias {
            try connection.execute(
                """
                UPDATE contacts SET contact_key = ?, party_type = ?, party_name = ?, party_number = ? WHERE id = ?
                """,
                [.text(contact.key)] + party + [.integer(alias)]
            )
        } else {
            try connection.execute(
                """
                INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at, merged_into,
                    party_type, party_name, party_number)
                VALUES (?, ?, ?, '{}', ?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(contact.app), .text(contact.key), .flag(contact.known), .date(now), .date(now),
                    .integer(contact.id),
                ] + party
            )
        }
        var renamed = contact
        renamed.key = key
        renamed.known = true
        try save(renamed, now: now)
        return renamed
    }

    /// The former keys that lead to a contact and that the app gave, in the order in which they came.
    package func aliases(of contact: Int64, limit: Int) throws -> [String] {
        try connection.query(
            """
            SELECT contact_key FROM contacts WHERE merged_into = ? AND known = 1 ORDER BY updated_at, id LIMIT ?
            """,
            [.integer(contact), .integer(limit)]
        ) { $0.text(0) }
    }

    /// The same page by page, by the numbers of the contacts that had them.
    package func aliases(
        of contact: Int64, after number: Int64, limit: Int
    ) throws -> [(number: Int64, key: String)] {
        try connection.query(
            Self.aliasPageSQL, [.integer(contact), .integer(number), .integer(limit)]
        ) { (number: $0.integer(0), key: $0.text(1)) }
    }

    /// The contact, the number before and the limit are its arguments. With a sign before it the number is no reason to walk
    /// over everybody's contacts in their order: each registration may ask this, and most contacts have no former key.
    package static let aliasPageSQL: SQLText = """
        SELECT id, contact_key FROM contacts WHERE merged_into = ? AND known = 1 AND +id > ? ORDER BY +id LIMIT ?
        """

    /// A key that a contact had before, or one that went into it.
    package struct FormerKey: Hashable, Sendable {
        /// Of the contact that had it.
        package let number: Int64
        package let key: String
        /// Of the party identifier that the key is.
        package let partyNumber: String?
    }

    /// All that there are, the server's own among them, page by page, by the numbers of the contacts that had them: there
    /// may be any number.
    package func formerKeys(of contact: Int64, after number: Int64, limit: Int) throws -> [FormerKey] {
        try connection.query(
            """
            SELECT id, contact_key, party_number FROM contacts WHERE merged_into = ? AND id > ? ORDER BY id LIMIT ?
            """,
            [.integer(contact), .integer(number), .integer(limit)]
        ) { FormerKey(number: $0.integer(0), key: $0.text(1), partyNumber: $0.optionalText(2)) }
    }

    /// Contacts that went into this one, in no order: there may be any number.
    package func merged(into contact: Int64, limit: Int) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM contacts WHERE merged_into = ? LIMIT ?", [.integer(contact), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// How many they are, counted up to a limit.
    package func count(mergedInto contact: Int64, upTo limit: Int) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM (SELECT 1 FROM contacts WHERE merged_into = ? LIMIT ?) n",
            [.integer(contact), .integer(limit)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// The known contact that a known one went into; nil for one that is still there.
    package func heir(of contact: Int64) throws -> Int64? {
        try connection.first(
            "SELECT merged_into FROM contacts WHERE id = ? AND known = 1 AND merged_into IS NOT NULL",
            [.integer(contact)]
        ) { $0.integer(0) }
    }

    /// The known contacts among so many that went into this one, and of its former keys' rows. No more are looked at: anybody
    /// may have had any number of anonymous ones go into it.
    package func known(among limit: Int, mergedInto contact: Int64) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM (SELECT id, known FROM contacts WHERE merged_into = ? LIMIT ?) p WHERE known = 1",
            [.integer(contact), .integer(limit)]
        ) { $0.integer(0) }
    }
}

extension MessageCenterMessageRepository {
    /// Gives the messages of one contact to another. Of a campaign of which both have one, the other keeps its own, in
    /// the state that goes further. The first has none then, and has confirmed none.
    package func move(from contact: Int64, to other: Int64) throws {
        let both: SQLText = "campaign_id IN (SELECT m.campaign_id FROM center_messages m WHERE m.contact_id = ?)"
        let states = try connection.query(
            """
            SELECT campaign_id, state, state_at FROM center_messages
            WHERE contact_id = ? AND state <> 'unread' AND \(both)
            """,
            [.integer(contact), .integer(other)]
        ) { (campaign: CampaignID($0.integer(0)), state: MessageState(rawValue: $0.text(1)), at: $0.optionalDate(2)) }
        for case (let campaign?, let state?, let at?) in states {
            _ = try setState(state, contact: other, campaign: campaign, at: at)
        }
        try give(all: contact, to: other)
    }
}
