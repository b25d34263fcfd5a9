import BelfryServerModel
import Foundation

/// What still holds a contact; an orphan has none of it (REG-24).
package struct ContactTies: Hashable, Sendable {
    package let devices: Bool
    package let events: Bool
    package let deliveries: Bool
    /// Whether so much was left behind that it is not looked through for events and deliveries.
    package let isLarge: Bool

    package var isOrphan: Bool { !devices && !events && !deliveries && !isLarge }
}

extension ContactTies {
    /// Of `contacts c`, in the order in which ``init(_:)`` reads them.
    static func columns(_ dialect: any Dialect) -> SQLText {
        let conditions = [
            ContactRepository.hasDevice, ContactRepository.hasEvent, ContactRepository.hasDelivery(dialect),
            ContactRepository.isLarge,
        ]
        return conditions.map { condition -> SQLText in "CASE WHEN \(condition) THEN 1 ELSE 0 END" }.joined(by: ", ")
    }

    init(_ row: any SQLRow) {
        self.init(devices: row.flag(0), events: row.flag(1), deliveries: row.flag(2), isLarge: row.flag(3))
    }
}

/// One page of a list of contacts, newest first.
package struct ContactPage: Hashable, Sendable {
    package let contacts: [ContactRow]
    /// The number before which the list goes on; nil at its end.
    package let next: Int64?
}

extension ContactRepository {
    /// Contacts that are looked at for one page of orphans.
    package static let maximumCandidates = 1_000

    /// The app, the cursor and the limit are its arguments.
    package static func listSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ContactRow.columns) FROM contacts
        WHERE \(dialect.isArgument("app_id")) AND merged_into IS NULL AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// Contacts that a device has left: only they can be orphans. The app, the cursor and the limit are its arguments.
    package static let candidatesSQL: SQLText = """
        SELECT DISTINCT contact_id FROM former_devices WHERE app_id = ? AND contact_id < ?
        ORDER BY contact_id DESC LIMIT ?
        """

    /// The contact is its argument.
    package static func orphanSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ContactRow.Column.selectList(of: "c")) FROM contacts c WHERE c.id = ? AND c.merged_into IS NULL
            AND \(hasNoDevice) AND NOT \(hasHistory(dialect))
        """
    }

    /// Newest first, older than the cursor; those that went into others are left out.
    package func list(app: Int64, before cursor: Int64?, limit: Int) throws -> ContactPage {
        // One more than is shown tells whether there is a next page.
        let found = try connection.query(
            Self.listSQL(connection.dialect), [.integer(app), .integer(cursor ?? .max), .integer(limit + 1)],
            ContactRow.init
        )
        let shown = Array(found.prefix(limit))
        return ContactPage(contacts: shown, next: found.count > limit ? shown.last?.id : nil)
    }

    /// The contacts that a party identifier describes or identifies, or identified before they got another key or went
    /// into another contact (ADM-5); newest first, older than the cursor; anonymous ones, too.
    package func list(app: Int64, party: PartySearch, before cursor: Int64?, limit: Int) throws -> ContactPage {
        let found = try connection.query(
            Self.partySQL,
            [
                .integer(app), .text(party.number), .optional(party.type), .optional(party.name),
                .integer(cursor ?? .max), .integer(limit + 1),
            ],
            ContactRow.init
        )
        let shown = Array(found.prefix(limit))
        return ContactPage(contacts: shown, next: found.count > limit ? shown.last?.id : nil)
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

    /// Contacts that were left with no device, no event and no delivery; newest first, older than the cursor. Few of
    /// those that were left are orphans, so a page looks at so many of them, and may hold fewer than its limit, or none.
    package func orphans(
        app: Int64, before cursor: Int64?, limit: Int, candidates: Int = maximumCandidates
    ) throws -> ContactPage {
        let left = try connection.query(
            Self.candidatesSQL, [.integer(app), .integer(cursor ?? .max), .integer(candidates)]
        ) { $0.integer(0) }
        var orphans: [ContactRow] = []
        var position: Int64?
        for contact in left where orphans.count < limit {
            position = contact
            let orphan = try connection.first(
                Self.orphanSQL(connection.dialect), [.integer(contact)], ContactRow.init
            )
            if let orphan { orphans.append(orphan) }
        }
        let hasMore = left.count == candidates || position != left.last
        return ContactPage(contacts: orphans, next: hasMore ? position : nil)
    }

    package func ties(of contact: Int64) throws -> ContactTies? {
        try connection.first(
            "SELECT \(ContactTies.columns(connection.dialect)) FROM contacts c WHERE c.id = ?", [.integer(contact)],
            ContactTies.init
        )
    }
}
