import Foundation

/// The data that still belongs to a contact; an orphan has none (REG-24).
package struct ContactTies: Hashable, Sendable {
    package let devices: Bool
    package let events: Bool
    package let deliveries: Bool
    /// Whether the contact left so much behind that it is not searched for events and deliveries.
    package let isLarge: Bool

    package var isOrphan: Bool { !devices && !events && !deliveries && !isLarge }
}

extension ContactTies {
    /// The selected facts about `contacts c`, for each engine.
    private enum Place: Int, ResultPlace, CaseIterable {
        case devices, events, deliveries, isLarge

        func condition(_ dialect: any Dialect) -> SQLText {
            switch self {
            case .devices: OrphanedContactRepository.hasDevice
            case .events: OrphanedContactRepository.hasEvent
            case .deliveries: OrphanedContactRepository.hasDelivery(dialect)
            case .isLarge: OrphanedContactRepository.isLarge
            }
        }
    }

    static func columns(_ dialect: any Dialect) -> SQLText {
        Place.allCases.map { place -> SQLText in "CASE WHEN \(place.condition(dialect)) THEN 1 ELSE 0 END" }
            .joined(by: ", ")
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Place>(row)
        self.init(
            devices: row.flag(.devices), events: row.flag(.events), deliveries: row.flag(.deliveries),
            isLarge: row.flag(.isLarge)
        )
    }
}

/// Contacts to which nothing belongs any more, and what belongs to the others (REG-24).
///
/// A device may have left any number of contacts and sent any number of events for others, and a contact may have been
/// left by any number of devices. The writer checks all this, so the checks have limits; a contact above a limit counts
/// as one with a history (SEC-8, SEC-9). The limits are compared first: `CASE` evaluates nothing before its turn.
package struct OrphanedContactRepository {
    let connection: any SQLConnection

    /// Contacts that are checked for one page of orphans.
    package static let maximumCandidates = 1_000

    /// The most devices that have left a contact.
    package static let maximumFormerDevices = 100
    /// The most events of these devices together, of any contact.
    package static let maximumEvents = 10_000
    /// The most ledger rows to check: one for each device and each campaign of the app.
    package static let maximumPlaces = 50_000
    /// The most contacts that were merged into the contact.
    package static let maximumParts = 10_000

    // Conditions about a contact `c`.

    /// A device in use, or a dormant one.
    static let hasDevice: SQLText = """
        EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)
            OR EXISTS (SELECT 1 FROM dormant_devices z WHERE z.contact_id = c.id)
        """
    static let hasNoDevice: SQLText = """
        NOT EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM dormant_devices z WHERE z.contact_id = c.id)
        """

    private static let hasLeft: SQLText = "f.app_id = c.app_id AND f.contact_id = c.id"

    /// Whether a limit is exceeded.
    static let isLarge: SQLText = """
        (CASE WHEN EXISTS (SELECT 1 FROM former_devices f WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumFormerDevices)) THEN 1
            WHEN EXISTS (SELECT 1 FROM former_devices f JOIN events e ON e.device_id = f.device_id
                WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumEvents)) THEN 1
            WHEN EXISTS (SELECT 1 FROM former_devices f JOIN campaigns m ON m.app_id = f.app_id
                WHERE \(hasLeft) LIMIT 1 OFFSET \(maximumPlaces)) THEN 1
            WHEN EXISTS (SELECT 1 FROM contacts r WHERE r.merged_into = c.id LIMIT 1 OFFSET \(maximumParts)) THEN 1
            ELSE 0 END = 1)
        """

    private static let someEvent: SQLText = """
        EXISTS (SELECT 1 FROM former_devices f JOIN events e ON e.device_id = f.device_id
            WHERE \(hasLeft) AND e.contact_id = c.id)
        """

    /// Ledger rows keep the anonymous contact for which they were planned. They are looked up for each device and each
    /// campaign of the app. With an offset, even 0, the subquery is planned by itself; as part of a join, the engine
    /// might read all rows of the ledger.
    private static func someDelivery(_ dialect: any Dialect) -> SQLText {
        let ofApp = dialect.isFound("l.campaign_id", by: "SELECT m.id FROM campaigns m WHERE m.app_id = c.app_id")
        let survivor = ContactRepository.surviving(in: "l.contact_id")
        return """
            EXISTS (SELECT 1 FROM former_devices f WHERE \(hasLeft) AND EXISTS (
                SELECT 1 FROM deliveries l WHERE \(ofApp) AND l.device_id = f.device_id
                    AND (l.contact_id = c.id OR \(survivor) = c.id) LIMIT 1 OFFSET 0))
            """
    }

    /// False if events are not searched.
    static let hasEvent: SQLText = "(CASE WHEN \(isLarge) THEN 0 WHEN \(someEvent) THEN 1 ELSE 0 END = 1)"
    /// False if deliveries are not searched.
    static func hasDelivery(_ dialect: any Dialect) -> SQLText {
        "(CASE WHEN \(isLarge) THEN 0 WHEN \(someDelivery(dialect)) THEN 1 ELSE 0 END = 1)"
    }

    /// Whether there is an event or a delivery, or a limit is exceeded.
    static func hasHistory(_ dialect: any Dialect) -> SQLText {
        "(CASE WHEN \(isLarge) THEN 1 WHEN \(someEvent) THEN 1 WHEN \(someDelivery(dialect)) THEN 1 ELSE 0 END = 1)"
    }

    /// An anonymous contact of which its own row says nothing.
    static let isBlank: SQLText =
        "c.known = 0 AND c.merged_into IS NULL AND c.attributes = '{}' AND c.party IS NULL"
    /// Nor do rows that lie beside it.
    static let hasNoRows: SQLText = """
        NOT EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM center_messages m WHERE m.contact_id = c.id)
        """

    private static func isEmpty(_ dialect: any Dialect) -> SQLText {
        """
        \(isBlank) AND \(hasNoDevice)
            AND \(hasNoRows)
            AND NOT (CASE WHEN \(hasHistory(dialect)) THEN 1 WHEN EXISTS (
                SELECT 1 FROM former_devices f JOIN in_app_copies i ON i.device_id = f.device_id
                WHERE f.app_id = c.app_id AND f.contact_id = c.id AND i.contact_id = c.id) THEN 1 ELSE 0 END = 1)
        """
    }

    /// Contacts that a device has left; only these can be orphans. Its arguments are the app, the cursor and the limit.
    package static let candidatesSQL: SQLText = """
        SELECT DISTINCT contact_id FROM former_devices WHERE app_id = ? AND contact_id < ?
        ORDER BY contact_id DESC LIMIT ?
        """

    /// Its argument is the contact.
    package static func orphanSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(ContactRow.Column.selectList(of: "c")) FROM contacts c WHERE c.id = ? AND c.merged_into IS NULL
            AND \(hasNoDevice) AND NOT \(hasHistory(dialect))
        """
    }

    /// Contacts without a device, event or delivery; newest first, older than the cursor. Few of the contacts that a
    /// device has left are orphans, so a page checks a fixed number of them, and may have fewer than its limit, or
    /// none.
    package func list(
        app: Int64, before cursor: Int64?, limit: Int, candidates: Int = maximumCandidates
    ) throws -> ContactPage {
        let left = try connection.query(
            Self.candidatesSQL, [.integer(app), .integer(cursor ?? .max), .integer(candidates)]
        ) { $0.integer(0) }
        var orphans: [ContactRow] = []
        var position: Int64?
        var bytes = 0
        for contact in left where orphans.count < limit && bytes < ContactRepository.maximumPageBytes {
            position = contact
            let orphan = try orphan(contact)
            if let orphan {
                orphans.append(orphan)
                bytes += orphan.attributes.bytes
            }
        }
        let hasMore = left.count == candidates || position != left.last
        return ContactPage(contacts: orphans, next: hasMore ? position : nil)
    }

    /// The contact, if nothing belongs to it.
    private func orphan(_ contact: Int64) throws -> ContactRow? {
        guard !connection.dialect.isDistributed else { return try orphanInTurn(contact) }
        return try connection.first(Self.orphanSQL(connection.dialect), [.integer(contact)], ContactRow.init)
    }

    package func ties(of contact: Int64) throws -> ContactTies? {
        guard !connection.dialect.isDistributed else { return try tiesInTurn(of: contact) }
        return try connection.first(
            "SELECT \(ContactTies.columns(connection.dialect)) FROM contacts c WHERE c.id = ?", [.integer(contact)],
            ContactTies.init
        )
    }

    /// Deletes an anonymous contact without any data or reference, so that a caller that makes contacts without end
    /// does not fill the store (SEC-9). A contact that is being erased is left to its erasure. Returns whether it was
    /// deleted.
    @discardableResult
    package func deleteIfEmpty(_ id: Int64, app: Int64) throws -> Bool {
        // An interrupted erasure still needs the contact: it leads to what its erased devices have said (REG-36).
        guard try isEmpty(id), try !connection.erasures.isUnderWay(of: id) else { return false }
        try connection.contacts.delete(id, app: app)
        return true
    }

    private func isEmpty(_ id: Int64) throws -> Bool {
        guard !connection.dialect.isDistributed else { return try isEmptyInTurn(id) }
        return try connection.first(
            "SELECT 1 FROM contacts c WHERE c.id = ? AND \(Self.isEmpty(connection.dialect))", [.integer(id)]
        ) { $0.flag(0) } ?? false
    }

    /// Such contacts in a range of numbers that have not changed since a moment, with their apps. The limit tells an
    /// engine that plans the statement once how few rows there are, so that it does not scan the other tables.
    package func empty(_ numbers: ClosedRange<Int64>, before moment: Date) throws -> [(id: Int64, app: Int64)] {
        guard !connection.dialect.isDistributed else { return try emptyInTurn(numbers, before: moment) }
        return try connection.query(
            """
            SELECT c.id, c.app_id FROM (
                SELECT id, app_id, known, merged_into, attributes, party, updated_at FROM contacts
                WHERE id BETWEEN ? AND ? ORDER BY id LIMIT \(numbers.count)
            ) c WHERE c.updated_at < ? AND \(Self.isEmpty(connection.dialect))
            """,
            [.integer(numbers.lowerBound), .integer(numbers.upperBound), .date(moment)]
        ) { (id: $0.integer(0), app: $0.integer(1)) }
    }
}

extension SQLConnection {
    package var orphanedContacts: OrphanedContactRepository { OrphanedContactRepository(connection: self) }
}
