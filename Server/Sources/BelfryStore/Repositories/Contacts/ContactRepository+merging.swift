import BelfryModel
import Foundation

/// Merges a contact into another: an anonymous one into a known one (ID-8), or any contact by an operator (ADM-5).
extension ContactRepository {
    /// The present contact of a row: the row itself, or the known contact into which it was merged.
    ///
    /// One step is always enough: when a contact is merged, those that were merged into it are redirected too
    /// (``redirect(_:to:now:)``). Nil for a number that no longer names a contact.
    package func surviving(_ id: Int64) throws -> Int64? {
        let question = Self.askForSurvivor(of: id)
        return try connection.first(question.sql, question.arguments) { $0.integer(0) }
    }

    /// The question of ``surviving(_:)``.
    static func askForSurvivor(of id: Int64) -> SQLFragment {
        SQLFragment("SELECT coalesce(merged_into, id) FROM contacts WHERE id = ?", [.integer(id)])
    }

    /// The present contacts of several rows; numbers that no longer name a contact are missing.
    package func survivors(of ids: Set<Int64>) throws -> [Int64: Int64] {
        guard !ids.isEmpty else { return [:] }
        let areThese = connection.dialect.isOneOf(ids.sorted(), "id", isFirst: true)
        return try connection.query(
            "SELECT id, coalesce(merged_into, id) FROM contacts WHERE \(areThese.sql)", areThese.arguments
        ) { ($0.integer(0), $0.integer(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// An expression for the present contact of the contact in a column: one lookup by key for each row. So a person's
    /// rows are found without a list of merged contacts, which may be any number.
    static func surviving(in column: SQLText) -> SQLText {
        "(SELECT coalesce(o.merged_into, o.id) FROM contacts o WHERE o.id = \(column))"
    }

    /// Reduces a contact to a redirect to the one into which it was merged. Its devices already have another contact,
    /// or get one in the same transaction, which also updates the audience.
    ///
    /// A party identifier with which the app linked is a former key like any other, and can still be found by its
    /// parts.
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

    /// Whether the key was made from a party identifier. Then the columns have the key's identifier, so they stay.
    private static let isNamedByParty: SQLText = "substr(contact_key, 1, 6) = 'party:'"

    /// Whether a contact is known, that is, has a key from the app; false for a missing one.
    package func isKnown(_ id: Int64) throws -> Bool {
        try connection.first("SELECT known FROM contacts WHERE id = ?", [.integer(id)]) { $0.flag(0) } ?? false
    }

    /// The given contacts that are known.
    func known(among ids: Set<Int64>) throws -> Set<Int64> {
        guard !ids.isEmpty else { return [] }
        let areThese = connection.dialect.isOneOf(ids.sorted(), "id", isFirst: true)
        let found = try connection.query(
            "SELECT id FROM contacts WHERE known = 1 AND \(areThese.sql)", areThese.arguments
        ) { $0.integer(0) }
        return Set(found)
    }

    /// The present contact of a key, and whether it is a former key. Unlike ``find(app:key:)`` it also follows the keys
    /// of anonymous contacts.
    package func holder(of key: String, app: Int64) throws -> (contact: ContactRow, isAlias: Bool)? {
        if let keyDirectory {
            guard let row = try keyDirectory.row(of: key, app: app),
                let contact = try surviving(row).flatMap({ try find(id: $0) })
            else { return nil }
            return (contact: contact, isAlias: contact.id != row)
        }
        let place = ContactRow.Column.columnCount
        return try connection.first(Self.holderSQL, [.integer(app), .text(key)]) { row in
            (contact: try ContactRow(row), isAlias: row.flag(place))
        }
    }

    private static let holderSQL: SQLText = """
        SELECT \(ContactRow.Column.selectList(of: "c")), CASE WHEN k.id = c.id THEN 0 ELSE 1 END
        FROM contacts k JOIN contacts c ON c.id = coalesce(k.merged_into, k.id) WHERE k.app_id = ? AND k.contact_key = ?
        """

    /// The number of the row with a key: a contact, or one that was merged into another.
    package func row(of key: String, app: Int64) throws -> Int64? {
        if let keyDirectory { return try keyDirectory.row(of: key, app: app) }
        return try connection.first(
            "SELECT id FROM contacts WHERE app_id = ? AND contact_key = ?", [.integer(app), .text(key)]
        ) { $0.integer(0) }
    }

    /// Gives a contact another key and keeps the former one as its alias. If the new key is already an alias of the
    /// contact, the two are exchanged.
    ///
    /// - Returns: the contact after the change.
    package func rename(_ contact: ContactRow, to key: String, now: Date) throws -> ContactRow {
        let alias = try row(of: key, app: contact.app)
        let number = try keyDirectory?.rename(contact, to: key, alias: alias)
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
            let (column, mark): (SQLText, SQLText) = number == nil ? ("", "") : ("id, ", "?, ")
            let id: [SQLValue] = number.map { [SQLValue.integer($0)] } ?? []
            let values: [SQLValue] = [
                .integer(contact.app), .text(contact.key), .flag(contact.known), .date(now), .date(now),
                .integer(contact.id),
            ]
            try connection.execute(
                """
                INSERT INTO contacts (\(column)app_id, contact_key, known, attributes, created_at, updated_at, merged_into,
                    party_type, party_name, party_number)
                VALUES (\(mark)?, ?, ?, '{}', ?, ?, ?, ?, ?, ?)
                """,
                id + values + party
            )
        }
        var renamed = contact
        renamed.key = key
        renamed.known = true
        try save(renamed, now: now)
        return renamed
    }

    /// The known contact into which a known contact was merged; nil if it was not merged.
    package func heir(of contact: Int64) throws -> Int64? {
        try connection.first(
            "SELECT merged_into FROM contacts WHERE id = ? AND known = 1 AND merged_into IS NOT NULL",
            [.integer(contact)]
        ) { $0.integer(0) }
    }
}
