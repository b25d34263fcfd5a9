import BelfryModel
import Foundation

/// Why a device was linked to a contact or separated from it.
package enum ContactLinkCause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The app linked the device.
    case link
    /// The app logged the user out.
    case logout
    /// A registration named the contact.
    case registration
    /// A re-installed app took over its anonymous contact (REG-23).
    case takeover
    /// An operator merged two contacts (ADM-5).
    case merge
    /// An operator revoked the device (SEC-10).
    case revocation
}

/// A change of a device's contact: the device came to the contact, or left it.
package struct ContactLinkRow: Hashable, Sendable {
    package let device: Int64
    package let contact: Int64
    package let at: Date
    /// Whether the device came; otherwise it left.
    package let began: Bool
    package let cause: ContactLinkCause
    /// Whether the contact has a key from the app.
    package let isKnown: Bool
}

extension ContactLinkRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case device, contact, at, began, cause

        var sql: SQLText {
            switch self {
            case .device: "device_id"
            case .contact: "contact_id"
            case .at: "at"
            case .began: "began"
            case .cause: "cause"
            }
        }
    }

    /// Reads ``columns``.
    ///
    /// - Parameter parts: the contacts to which the row may belong, each with whether it is known.
    init(_ row: any SQLRow, _ parts: [Int64: Bool]) throws {
        let row = ResultRow<Column>(row)
        guard let cause = ContactLinkCause(rawValue: row.text(.cause)) else {
            throw StoreError.corrupted(table: "contact_links", key: String(row.integer(.device)))
        }
        self.init(
            device: row.integer(.device), contact: row.integer(.contact), at: row.date(.at),
            began: row.flag(.began), cause: cause, isKnown: parts[row.integer(.contact)] ?? false
        )
    }

    package var position: ContactLinkRepository.Position {
        ContactLinkRepository.Position(at: at.milliseconds, contact: contact, began: began ? 1 : 0)
    }
}

/// The contact of a device at a moment.
package enum DeviceOwner: Hashable, Sendable {
    /// The moment is before links were recorded, or its record was removed.
    case unknown
    case nobody
    case contact(Int64)
}

/// When devices came to contacts and left them, for people's timelines. For each device only the newest rows are kept.
package struct ContactLinkRepository {
    /// The most rows of one device; a change from one contact to another takes two.
    package static let maximumRows = 200

    let connection: any SQLConnection

    /// Records that a device has changed its contact.
    ///
    /// - Parameters:
    ///   - former: the contact that it left; nil when it had none, or when the history has moved to the new contact.
    ///   - contact: the contact that it has now; nil: none.
    package func note(
        _ device: Int64, from former: Int64?, to contact: Int64?, cause: ContactLinkCause, at: Date
    ) throws {
        let rows = [former.map { ($0, false) }, contact.map { ($0, true) }].compactMap(\.self)
        guard !rows.isEmpty else { return }
        for (contact, began) in rows { try insert(device, contact, began: began, cause: cause, at: at) }
        try connection.executeLater(
            """
            DELETE FROM contact_links WHERE device_id = ? AND at < (
                SELECT at FROM contact_links WHERE device_id = ? ORDER BY at DESC LIMIT 1 OFFSET ?)
            """,
            [.integer(device), .integer(device), .integer(Self.maximumRows - 1)]
        )
    }

    /// Records a new device with its first contact. There are no old rows to remove, so none are read: they would be at
    /// the end of the index, where concurrent transactions write.
    package func noteFirst(_ device: Int64, to contact: Int64, cause: ContactLinkCause, at: Date) throws {
        try insert(device, contact, began: true, cause: cause, at: at)
    }

    private func insert(
        _ device: Int64, _ contact: Int64, began: Bool, cause: ContactLinkCause, at: Date
    ) throws {
        try connection.executeLater(
            """
            INSERT INTO contact_links (device_id, at, contact_id, began, cause) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [.integer(device), .date(at), .integer(contact), .flag(began), .text(cause.rawValue)]
        )
    }

    /// When devices came to a person and left, in order. This includes contacts that were merged into the person's.
    package func list(
        ofDevice device: Int64, person contact: Int64, after place: Position?, limit: Int
    ) throws -> [ContactLinkRow] {
        let start = place ?? .start
        let parts = try self.parts(of: contact, onDevices: [device])
        guard !parts.isEmpty else { return [] }
        return try connection.query(
            """
            SELECT \(ContactLinkRow.columns) FROM contact_links
            WHERE device_id = ? AND (at, contact_id, began) > (?, ?, ?)
                AND +contact_id IN (\(connection.dialect.integers))
            ORDER BY at, contact_id, began LIMIT ?
            """,
            [
                .integer(device), .integer(start.at), .integer(start.contact), .integer(start.began),
                .integers(parts.keys.sorted()), .integer(limit),
            ]
        ) { try ContactLinkRow($0, parts) }
    }

    /// For some devices: the person's contacts that they have come to or left, including merged ones, each with whether
    /// it is known. The devices' rows are read first, and then those contacts: the two are on different servers
    /// (FLEET-5), and any number of contacts may have been merged into the person's (SEC-8).
    func parts(of contact: Int64, onDevices devices: [Int64]) throws -> [Int64: Bool] {
        let areTheirs = connection.dialect.isOneOf(devices, "device_id", isFirst: true)
        let had = try connection.query(
            "SELECT DISTINCT contact_id FROM contact_links WHERE \(areTheirs.sql)", areTheirs.arguments
        ) { $0.integer(0) }
        return try connection.contactParts.knowledge(of: had, in: contact)
    }

    /// The contact of a device at a moment.
    package func owner(ofDevice device: Int64, at moment: Date) throws -> DeviceOwner {
        let found = try connection.first(
            Self.owner(of: "?", at: "?"), [.integer(device), .date(moment)]
        ) { $0.integer(0) }
        return found.map { $0 == Self.nobody ? .nobody : .contact($0) } ?? .unknown
    }

    /// A query for the contact of a device at a moment: the contact's number; ``nobody`` if the device had left for no
    /// contact, or for one that is erased; no row if this was not recorded yet. Of several changes in the same moment
    /// an arrival counts last, since a device leaves one contact for the next.
    static func owner(of device: SQLText, at moment: SQLText) -> SQLText {
        """
        SELECT CASE WHEN k.began = 1 THEN k.contact_id ELSE \(nobody) END FROM contact_links k
        WHERE k.device_id = \(device) AND k.at <= \(moment)
        ORDER BY k.at DESC, k.began DESC, k.contact_id DESC LIMIT 1
        """
    }

    /// A number that no contact has.
    private static let nobody: Int64 = 0

    /// The position of a row among those of its device.
    package struct Position: Hashable, Sendable {
        let at: Int64
        let contact: Int64
        let began: Int64

        /// Before the first row of any device.
        fileprivate static let start = Position(at: .min, contact: .min, began: .min)
    }

    /// The known contacts that a device has had and that were merged into another one.
    package func known(ofDevice device: Int64, mergedInto contact: Int64) throws -> [Int64] {
        try parts(of: contact, onDevices: [device]).filter { $0.value }.map(\.key)
    }

    package func deleteAll(ofDevice device: Int64) throws {
        try connection.execute("DELETE FROM contact_links WHERE device_id = ?", [.integer(device)])
    }

    /// Deletes all rows of some contacts.
    package func deleteAll(ofContacts contacts: [Int64]) throws {
        // As a list, since PostgreSQL scans the whole table for a condition with OR and a subquery.
        try connection.execute(
            "DELETE FROM contact_links WHERE contact_id IN (\(connection.dialect.integers))", [.integers(contacts)]
        )
    }

    /// Deletes some rows of some contacts; returns how many. Each row is found by its key: with a list of keys,
    /// PostgreSQL would scan all rows of a contact that has most of the table.
    func deleteFirst(_ limit: Int, ofContacts contacts: [Int64]) throws -> Int {
        guard !contacts.isEmpty else { return 0 }
        let keys = try connection.query(
            """
            SELECT device_id, at, contact_id, began FROM contact_links
            WHERE contact_id IN (\(connection.dialect.integers)) LIMIT ?
            """,
            [.integers(contacts), .integer(limit)]
        ) { row in (0..<4).map { SQLValue.integer(row.integer($0)) } }
        return try connection.executeEach(
            "DELETE FROM contact_links WHERE device_id = ? AND at = ? AND contact_id = ? AND began = ?", keys
        )
    }
}

extension SQLConnection {
    package var contactLinks: ContactLinkRepository { ContactLinkRepository(connection: self) }
}
