/// A former key of a contact: its own, or that of a contact merged into it.
package struct FormerKey: Hashable, Sendable {
    /// The number of the contact that had the key.
    package let number: Int64
    package let key: String
    /// The number in the party identifier, if the key is one.
    package let partyNumber: String?
}

/// The former keys of contacts, by which they are still found (ADM-5).
package struct FormerKeyRepository {
    let connection: any SQLConnection

    /// The former keys of a contact that the app gave, oldest first.
    package func aliases(of contact: Int64, limit: Int) throws -> [String] {
        try connection.query(
            """
            SELECT contact_key FROM contacts WHERE merged_into = ? AND known = 1 ORDER BY updated_at, id LIMIT ?
            """,
            [.integer(contact), .integer(limit)]
        ) { $0.text(0) }
    }

    /// One page of these former keys, by the numbers of the contacts that had them.
    package func aliases(
        of contact: Int64, after number: Int64, limit: Int
    ) throws -> [(number: Int64, key: String)] {
        try connection.query(
            Self.aliasPageSQL, [.integer(contact), .integer(number), .integer(limit)]
        ) { (number: $0.integer(0), key: $0.text(1)) }
    }

    /// Its arguments are the contact, the number before, and the limit. The sign before the number keeps an engine from
    /// scanning all contacts by number: each registration may run this, and most contacts have no former key.
    package static let aliasPageSQL: SQLText = """
        SELECT id, contact_key FROM contacts WHERE merged_into = ? AND known = 1 AND +id > ? ORDER BY +id LIMIT ?
        """

    /// One page of all former keys, including the server's own, by the numbers of the contacts that had them. There may
    /// be any number.
    package func all(of contact: Int64, after number: Int64, limit: Int) throws -> [FormerKey] {
        try connection.query(
            """
            SELECT id, contact_key, party_number FROM contacts WHERE merged_into = ? AND id > ? ORDER BY id LIMIT ?
            """,
            [.integer(contact), .integer(number), .integer(limit)]
        ) { FormerKey(number: $0.integer(0), key: $0.text(1), partyNumber: $0.optionalText(2)) }
    }
}

extension SQLConnection {
    package var formerKeys: FormerKeyRepository { FormerKeyRepository(connection: self) }
}
