import BelfryModel
import Foundation

/// A contact: known by a key that the app gave, or anonymous under a key of the server's own.
package struct ContactRow: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package var key: String
    package var known: Bool
    package var attributes: [String: AttributeValue]
    package var party: PartyIdentifier?
    package var lastOpenedAt: Date?
    package let createdAt: Date
}

package struct ContactRepository {
    let connection: any SQLConnection

    static let columns: SQLText =
        "id, app_id, contact_key, known, attributes, party, last_opened_at, created_at"

    package func find(id: Int64) throws -> ContactRow? {
        try connection.first("SELECT \(Self.columns) FROM contacts WHERE id = ?", [.integer(id)], read)
    }

    /// One that went into another is there no more.
    package func find(app: Int64, key: String) throws -> ContactRow? {
        try connection.first(
            "SELECT \(Self.columns) FROM contacts WHERE app_id = ? AND contact_key = ? AND merged_into IS NULL",
            [.integer(app), .text(key)], read
        )
    }

    /// The number of the contact with this key, of one too that went into another.
    package func number(app: Int64, key: String) throws -> Int64? {
        try connection.first(
            "SELECT id FROM contacts WHERE app_id = ? AND contact_key = ?", [.integer(app), .text(key)]
        ) { $0.integer(0) }
    }

    /// The contact with this key, made when it is unknown.
    package func findOrInsert(app: Int64, key: String, known: Bool, now: Date) throws -> Int64 {
        if let id = try number(app: app, key: key) { return id }
        let ids = try connection.query(
            """
            INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
            VALUES (?, ?, ?, '{}', ?, ?)
            ON CONFLICT (app_id, contact_key) DO UPDATE SET updated_at = excluded.updated_at RETURNING id
            """,
            [.integer(app), .text(key), .flag(known), .date(now), .date(now)]
        ) { $0.integer(0) }
        guard let id = ids.first else { throw StoreError.corrupted(table: "contacts", key: "a new one") }
        return id
    }

    package func save(_ contact: ContactRow, now: Date) throws {
        let before = try connection.audiences.stored(contact: contact.id)
        let attributes = try JSONText.encode(contact.attributes)
        try connection.execute(
            """
            UPDATE contacts SET known = ?, attributes = ?, party = ?, last_opened_at = ?,
                updated_at = \(DeviceRepository.later)
            WHERE id = ?
            """,
            [
                .flag(contact.known), .text(attributes),
                .optional(try contact.party.map(JSONText.encode)), .optional(contact.lastOpenedAt), .date(now),
                .date(now), .integer(contact.id),
            ]
        )
        try connection.audiences.follow(contact.id, from: before, known: contact.known, attributes: attributes)
    }

    /// Replaces the tags that one device put on a contact; whoever does it saves the contact, too, so that its other
    /// devices see that it has changed.
    package func replaceTags(of device: Int64, on contact: Int64, with tags: Set<Tag>) throws {
        try connection.execute(
            "DELETE FROM contact_tags WHERE contact_id = ? AND device_id = ?", [.integer(contact), .integer(device)]
        )
        try connection.executeEach(
            "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?)",
            tags.sorted().map { [.integer(contact), .text($0.rawValue), .integer(device)] }
        )
    }

    /// The union over the contact's devices, in order (REG-28).
    package func tags(of contact: Int64) throws -> [String] {
        try connection.query(
            "SELECT DISTINCT tag FROM contact_tags WHERE contact_id = ? ORDER BY tag", [.integer(contact)]
        ) { $0.text(0) }
    }

    package func highestID() throws -> Int64 {
        try connection.first("SELECT max(id) FROM contacts", []) { $0.integer(0) } ?? 0
    }

    func read(_ row: any SQLRow) throws -> ContactRow {
        ContactRow(
            id: row.integer(0), app: row.integer(1), key: row.text(2), known: row.flag(3),
            attributes: try JSONText.decode([String: AttributeValue].self, row.text(4)),
            party: try row.textIfAny(5).map { try JSONText.decode(PartyIdentifier.self, $0) },
            lastOpenedAt: row.dateIfAny(6), createdAt: row.date(7)
        )
    }
}

extension SQLConnection {
    package var contacts: ContactRepository { ContactRepository(connection: self) }
}
