import BelfryServerModel
import Foundation

/// One page of a list of contacts, newest first.
package struct ContactPage: Hashable, Sendable {
    package let contacts: [ContactRow]
    /// The number before which the list goes on; nil at its end.
    package let next: Int64?
}

extension ContactRepository {
    /// Bytes of attributes behind which a page has no more contacts.
    package static let maximumPageBytes = 8 << 20

    /// The app, the cursor and the limit are its arguments.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ContactRow.columns) FROM contacts
        WHERE \(dialect.isArgument("app_id")) AND merged_into IS NULL AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// Newest first, older than the cursor; those that went into others are left out.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> ContactPage {
        // One more than is shown tells whether there is a next page.
        let (shown, hasMore) = try page(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit + 1)],
            limit: limit
        )
        return ContactPage(contacts: shown, next: hasMore ? shown.last?.id : nil)
    }

    /// The first contacts that a statement gives, up to a limit and to ``maximumPageBytes``, and whether there are more.
    func page(
        _ sql: SQLText, _ arguments: [SQLValue], limit: Int
    ) throws -> (contacts: [ContactRow], hasMore: Bool) {
        var room = ByteRoom(Self.maximumPageBytes)
        let found = try connection.query(
            sql, arguments, texts: [ContactRow.Column.attributes.rawValue], in: &room, ContactRow.init
        )
        return (Array(found.prefix(limit)), room.isCut || found.count > limit)
    }

    /// The contacts that a party identifier describes or identifies, or identified before they got another key or went
    /// into another contact (ADM-5); newest first, older than the cursor; anonymous ones, too.
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

    /// The app, the number, the type and the name if it matters, the cursor and the limit are its arguments. Whoever has
    /// a number has all three; a former key has those that it was made of. The few that are found come first, each once.
    package static let partySQL: SQLText = """
        SELECT \(ContactRow.Column.selectList(of: "c")) FROM (
            SELECT DISTINCT coalesce(k.merged_into, k.id) AS id FROM contacts k
            WHERE k.app_id = ? AND k.party_number = ? AND k.party_type = coalesce(?, k.party_type)
                AND k.party_name = coalesce(?, k.party_name)) f
            CROSS JOIN contacts c
        WHERE c.id = f.id AND f.id < ? ORDER BY f.id DESC LIMIT ?
        """

    /// Contacts whose key begins with a text, by their keys, behind one of them, and whether there are more.
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

    /// Behind every other in the order of bytes.
    private static let lastCharacter = "\u{10FFFF}"

    /// The app, the first and the last key, the cursor and the limit are its arguments.
    package static let prefixSQL: SQLText = """
        SELECT \(ContactRow.columns) FROM contacts
        WHERE app_id = ? AND contact_key >= ? AND contact_key < ? AND contact_key > ? AND merged_into IS NULL
        ORDER BY contact_key LIMIT ?
        """

    /// The keys of some contacts, by their numbers.
    package func keys(of ids: [Int64]) throws -> [Int64: String] {
        guard !ids.isEmpty else { return [:] }
        let found = try connection.query(
            "SELECT id, contact_key FROM contacts WHERE id IN (\(connection.dialect.integers))", [.integers(ids)]
        ) { ($0.integer(0), $0.text(1)) }
        return Dictionary(found) { first, _ in first }
    }

    /// The keys of those of some contacts that have one, by their numbers.
    package func knownKeys(of ids: [Int64]) throws -> [Int64: String] {
        guard !ids.isEmpty else { return [:] }
        return try connection.query(
            "SELECT id, contact_key FROM contacts WHERE known = 1 AND id IN (\(connection.dialect.integers))",
            [.integers(ids)]
        ) { ($0.integer(0), $0.text(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
