import BelfryServerModel
import Foundation

/// One page of a list of contacts, newest first.
package struct ContactPage: Hashable, Sendable {
    package let contacts: [ContactRow]
    /// The number before which the next page begins; nil at the end of the list.
    package let next: Int64?
}

extension ContactRepository {
    /// The bytes of attributes after which a page ends.
    package static let maximumPageBytes = 8 << 20

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ContactRow.columns) FROM contacts
        WHERE \(dialect.isArgument("app_id")) AND merged_into IS NULL AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// An app's contacts, newest first, older than the cursor. Contacts that were merged into others are left out.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> ContactPage {
        // One more row than shown tells whether there is a next page.
        let (shown, hasMore) = try page(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit + 1)],
            limit: limit
        )
        return ContactPage(contacts: shown, next: hasMore ? shown.last?.id : nil)
    }

    /// The first contacts of a statement, up to a limit and to ``maximumPageBytes``, and whether there are more.
    func page(
        _ sql: SQLText, _ arguments: [SQLValue], limit: Int
    ) throws -> (contacts: [ContactRow], hasMore: Bool) {
        var room = ByteRoom(Self.maximumPageBytes)
        let found = try connection.query(
            sql, arguments, texts: [ContactRow.Column.attributes.rawValue], in: &room, ContactRow.init
        )
        return (Array(found.prefix(limit)), room.isCut || found.count > limit)
    }

    /// The contacts that have a party identifier in their record or as their key, or had it as their key before they
    /// were renamed or merged (ADM-5); newest first, older than the cursor. Anonymous contacts are included.
    package func list(app: Int64, party: PartySearch, before cursor: Int64?, limit: Int) throws -> ContactPage {
        let (shown, hasMore) = try page(
            Self.partySQL,
            [
                .integer(app), .text(party.number), .optional(party.type), .optional(party.name),
                .integer(cursor ?? .max), .integer(limit + 1),
            ],
            limit: limit
        )
        return ContactPage(contacts: shown, next: hasMore ? shown.last?.id : nil)
    }

    /// Its arguments are the app, the number, the type, the name if it matters, the cursor and the limit. A contact
    /// with a number has all three columns; a former key has those from which it was made. The few contacts found are
    /// selected first, without duplicates.
    package static let partySQL: SQLText = """
        SELECT \(ContactRow.Column.selectList(of: "c")) FROM (
            SELECT DISTINCT coalesce(k.merged_into, k.id) AS id FROM contacts k
            WHERE k.app_id = ? AND k.party_number = ? AND k.party_type = coalesce(?, k.party_type)
                AND k.party_name = coalesce(?, k.party_name)) f
            CROSS JOIN contacts c
        WHERE c.id = f.id AND f.id < ? ORDER BY f.id DESC LIMIT ?
        """

    /// Contacts whose key begins with a text, ordered by key, after a given key; and whether there are more.
    package func list(
        app: Int64, prefix: String, after key: String?, limit: Int
    ) throws -> (contacts: [ContactRow], hasMore: Bool) {
        try page(
            Self.prefixSQL,
            [
                .integer(app), .text(prefix), .text(prefix + Self.lastCharacter), .text(key ?? ""),
                .integer(limit + 1),
            ],
            limit: limit
        )
    }

    /// Sorts after every other character in the order of bytes.
    private static let lastCharacter = "\u{10FFFF}"

    /// Its arguments are the app, the first and the last key, the cursor and the limit.
    package static let prefixSQL: SQLText = """
        SELECT \(ContactRow.columns) FROM contacts
        WHERE app_id = ? AND contact_key >= ? AND contact_key < ? AND contact_key > ? AND merged_into IS NULL
        ORDER BY contact_key LIMIT ?
        """

    /// The keys of some contacts, by contact number.
    package func keys(of ids: [Int64]) throws -> [Int64: String] {
        guard !ids.isEmpty else { return [:] }
        let found = try connection.query(
            "SELECT id, contact_key FROM contacts WHERE id IN (\(connection.dialect.integers))", [.integers(ids)]
        ) { ($0.integer(0), $0.text(1)) }
        return Dictionary(found) { first, _ in first }
    }

    /// The keys of those of some contacts that are known, by contact number.
    package func knownKeys(of ids: [Int64]) throws -> [Int64: String] {
        guard !ids.isEmpty else { return [:] }
        return try connection.query(
            "SELECT id, contact_key FROM contacts WHERE known = 1 AND id IN (\(connection.dialect.integers))",
            [.integers(ids)]
        ) { ($0.integer(0), $0.text(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
