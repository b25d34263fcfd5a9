import BelfryModel
import Foundation

/// A contact: known by a key from the app, or anonymous with a key that the server generated.
package struct ContactRow: Hashable, Sendable, Codable {
    package let id: Int64
    package let app: Int64
    package var key: String
    package var known: Bool
    package var attributes: [String: AttributeValue]
    package var party: PartyIdentifier?
    package var lastOpenedAt: Date?
    package let createdAt: Date
}

extension ContactRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, key, known, attributes, party, lastOpenedAt, createdAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .key: "contact_key"
            case .known: "known"
            case .attributes: "attributes"
            case .party: "party"
            case .lastOpenedAt: OpeningHolder.contact.lastOpening(of: "contacts")
            case .createdAt: "created_at"
            }
        }

        func sql(of table: SQLText) -> SQLText {
            self == .lastOpenedAt ? OpeningHolder.contact.lastOpening(of: table) : "\(table).\(sql)"
        }
    }

    /// The values of the columns for searches by party identifier: type, name and number.
    static func values(of party: PartyIdentifier?) -> [SQLValue] {
        [.optional(party?.type), .optional(party?.name), .optional(party?.number)]
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), app: row.integer(.app), key: row.text(.key), known: row.flag(.known),
            attributes: try JSONText.decode([String: AttributeValue].self, row.text(.attributes)),
            party: try row.optionalText(.party).map { try JSONText.decode(PartyIdentifier.self, $0) },
            lastOpenedAt: row.optionalDate(.lastOpenedAt), createdAt: row.date(.createdAt)
        )
    }
}

package struct ContactRepository {
    let connection: any SQLConnection

    package func find(id: Int64) throws -> ContactRow? {
        try connection.first("SELECT \(ContactRow.columns) FROM contacts WHERE id = ?", [.integer(id)], ContactRow.init)
    }

    /// The contact with this key or this alias, a former key that the app gave (ADM-5). An anonymous contact that was
    /// merged into another is not found.
    package func find(app: Int64, key: String) throws -> ContactRow? {
        guard let keyDirectory else {
            return try connection.first(Self.findSQL, [.integer(app), .text(key)], ContactRow.init)
        }
        guard let row = try keyDirectory.row(of: key, app: app) else { return nil }
        let number = try connection.first(
            "SELECT coalesce(merged_into, id) FROM contacts WHERE id = ? AND (merged_into IS NULL OR known = 1)",
            [.integer(row)]
        ) { $0.integer(0) }
        return try number.flatMap { try find(id: $0) }
    }

    /// Its arguments are the app and the key.
    package static let findSQL: SQLText = """
        SELECT \(ContactRow.columns) FROM contacts WHERE id = (SELECT coalesce(k.merged_into, k.id) FROM contacts k
            WHERE k.app_id = ? AND k.contact_key = ? AND (k.merged_into IS NULL OR k.known = 1))
        """

    /// The number of the contact with this key, or of the contact into which it was merged.
    package func number(app: Int64, key: String) throws -> Int64? {
        if let keyDirectory { return try keyDirectory.row(of: key, app: app).flatMap { try surviving($0) } }
        let question = Self.askForNumber(app: app, key: key)
        return try connection.first(question.sql, question.arguments) { $0.integer(0) }
    }

    /// The numbers of the contacts with some keys, in no order, as ``number(app:key:)`` finds each.
    package func numbers(of keys: [(app: Int64, key: String)]) throws -> Set<Int64> {
        if let keyDirectory { return Set(try survivors(of: keyDirectory.rows(of: keys)).values) }
        let questions = keys.map { Self.askForNumber(app: $0.app, key: $0.key) }
        return Set(try connection.queryTogether(questions) { $0.integer(0) }.joined())
    }

    /// The query of ``number(app:key:)``.
    static func askForNumber(app: Int64, key: String) -> SQLFragment {
        SQLFragment(
            "SELECT coalesce(merged_into, id) FROM contacts WHERE app_id = ? AND contact_key = ?",
            [.integer(app), .text(key)]
        )
    }

    /// The number of the contact with this key, which is made if it does not exist.
    package func findOrInsert(app: Int64, key: String, known: Bool, now: Date) throws -> Int64 {
        if let id = try number(app: app, key: key) { return id }
        let contact = NewContact(app: app, key: key, isKnown: known, now: now)
        guard let id = try insert([contact]).first else {
            throw StoreError.corrupted(table: "contacts", key: "a new one")
        }
        return id
    }

    /// Makes contacts whose keys do not exist yet. Of two with the same key, one is made.
    ///
    /// - Returns: the contacts' numbers, in order.
    package func insert(_ contacts: [NewContact]) throws -> [Int64] {
        let insertions: [SQLFragment]
        if let keyDirectory {
            insertions = try zip(contacts, keyDirectory.give(contacts)).map { contact, number in
                contact.insertion(under: number)
            }
        } else {
            insertions = contacts.map(\.insertion)
        }
        let found = try connection.queryTogether(insertions) { $0.integer(0) }
        return try found.map { ids in
            guard let id = ids.first else { throw StoreError.corrupted(table: "contacts", key: "a new one") }
            return id
        }
    }

    /// - Parameters:
    ///   - times: when the values were set; nil: the changed values get `saidAt`, or else `now`.
    ///   - saidAt: when the changes were made, if that was before they are saved.
    package func save(_ contact: ContactRow, now: Date, times: AttributeTimes? = nil, saidAt: Date? = nil) throws {
        let before = try connection.audiences.stored(contact: contact.id)
        let attributes = try JSONText.encode(contact.attributes)
        let changedAt =
            try times.map { try JSONText.encode($0.times) } ?? before?.times(after: attributes, at: saidAt ?? now)
        let party = try contact.party.map(JSONText.encode)
        try connection.executeLater(
            """
            UPDATE contacts SET known = ?, attributes = ?, attributes_at = coalesce(?, attributes_at), party = ?,
                party_type = ?, party_name = ?, party_number = ?,
                last_opened_at = \(WideOpening.saved), updated_at = \(DeviceRepository.later)
            WHERE id = ?
            """,
            [
                .flag(contact.known), .text(attributes), .optional(changedAt), .optional(party),
            ] + ContactRow.values(of: contact.party) + [
                .optional(WideOpening.oldest(contact.lastOpenedAt)), .optional(contact.lastOpenedAt), .date(now),
                .date(now), .integer(contact.id),
            ]
        )
        try connection.openings.save(contact.lastOpenedAt, of: .contact, contact.id)
        try connection.audiences.follow(
            contact.id, from: before, known: contact.known, attributes: attributes, now: now
        )
        // The party identifier is in no audience table, but audiences can ask for it.
        if before?.party != party {
            try connection.silentPushes.ask(.attributes, contact: contact.id, now: now)
        }
    }

    /// The contacts of an app with these numbers that have attributes, the numbers of rows that cannot be read, and the
    /// last number that was read. The read stops after the contact that reaches ``maximumPageBytes``.
    package func withAttributes(
        _ ids: ClosedRange<Int64>, app: Int64
    ) throws -> (contacts: [ContactRow], unreadable: [Int64], reached: Int64) {
        var room = ByteRoom(Self.maximumPageBytes)
        let found = try connection.query(
            """
            SELECT \(ContactRow.columns) FROM contacts
            WHERE id BETWEEN ? AND ? AND app_id = ? AND attributes <> '{}' ORDER BY id
            """,
            [.integer(ids.lowerBound), .integer(ids.upperBound), .integer(app)],
            texts: [ContactRow.Column.attributes.rawValue], in: &room
        ) { row in
            (id: ResultRow<ContactRow.Column>(row).integer(.id), contact: try? ContactRow(row))
        }
        let last = room.isCut ? found.last?.id : nil
        return (
            found.compactMap { $0.contact }, found.filter { $0.contact == nil }.map { $0.id }, last ?? ids.upperBound
        )
    }

    package func highestID() throws -> Int64 {
        try connection.first("SELECT max(id) FROM contacts", []) { $0.integer(0) } ?? 0
    }
}

extension SQLConnection {
    package var contacts: ContactRepository { ContactRepository(connection: self) }
}
