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

    /// Of the columns that are searched: type, name and number.
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

    /// The contact with this key, or with this alias: a former key that the app gave (ADM-5). An anonymous one that went
    /// into another is there no more.
    package func find(app: Int64, key: String) throws -> ContactRow? {
        try connection.first(Self.findSQL, [.integer(app), .text(key)], ContactRow.init)
    }

    /// The app and the key are its arguments.
    package static let findSQL: SQLText = """
        SELECT \(ContactRow.columns) FROM contacts WHERE id = (SELECT coalesce(k.merged_into, k.id) FROM contacts k
            WHERE k.app_id = ? AND k.contact_key = ? AND (k.merged_into IS NULL OR k.known = 1))
        """

    /// The number of the contact with this key, or of the one that it went into.
    package func number(app: Int64, key: String) throws -> Int64? {
        let question = Self.askForNumber(app: app, key: key)
        return try connection.first(question.sql, question.arguments) { $0.integer(0) }
    }

    /// The same as a question.
    static func askForNumber(app: Int64, key: String) -> SQLFragment {
        SQLFragment(
            "SELECT coalesce(merged_into, id) FROM contacts WHERE app_id = ? AND contact_key = ?",
            [.integer(app), .text(key)]
        )
    }

    /// The contact with this key, made when it is unknown.
    package func findOrInsert(app: Int64, key: String, known: Bool, now: Date) throws -> Int64 {
        if let id = try number(app: app, key: key) { return id }
        let contact = NewContact(app: app, key: key, isKnown: known, now: now)
        guard let id = try insert([contact]).first else {
            throw StoreError.corrupted(table: "contacts", key: "a new one")
        }
        return id
    }

    /// Makes contacts with keys that are not there; of two with one key, one.
    ///
    /// - Returns: their numbers, in the order of the contacts.
    package func insert(_ contacts: [NewContact]) throws -> [Int64] {
        let found = try connection.queryTogether(contacts.map(\.insertion)) { $0.integer(0) }
        return try found.map { ids in
            guard let id = ids.first else { throw StoreError.corrupted(table: "contacts", key: "a new one") }
            return id
        }
    }

    /// - Parameters:
    ///   - times: when its values were set; nil: those that changed, when that was said.
    ///   - saidAt: when what changes was said, if that was before it is saved.
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
        // It stands in no audience table, but audiences ask for it.
        if before?.party != party {
            try connection.silentPushes.ask(.attributes, contact: contact.id, now: now)
        }
    }

    /// The contacts of an app with these numbers that have attributes, the numbers of those whose row cannot be read, and
    /// the last number that is looked at: one of a contact with which they have ``maximumPageBytes``, else the last of all.
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
