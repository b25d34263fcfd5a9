import BelfryModel
import BelfryServerModel
import Foundation

/// Keeps the audience tables up to date with devices and contacts: in the transaction that changes these, and only in
/// the columns that have changed.
extension AudienceRepository {
    /// Makes the audience table of a new app.
    func create(app: Int64) throws {
        for statement in AudienceTable.creation(app: app, connection.dialect) { try connection.execute(statement) }
    }

    /// Makes the columns of a new attribute. No contact has a value of it yet, since undefined attributes are rejected
    /// (REG-25).
    func add(_ attribute: AudienceColumns.Attribute, app: Int64) throws {
        for statement in AudienceTable.addition(of: attribute, app: app) { try connection.execute(statement) }
    }

    /// Empties the columns of an attribute that is defined again: rows whose contact has changed since the removal may
    /// still have a value.
    func empty(_ attribute: AudienceColumns.Attribute, app: Int64) throws {
        try connection.execute(
            """
            UPDATE \(AudienceColumns.table(of: app)) SET \(attribute.text) = NULL, \(attribute.numeric) = NULL
            WHERE \(attribute.text) IS NOT NULL
            """
        )
    }

    /// Empties the columns of removed attributes in the audience rows of these contacts.
    package func emptyRemoved(of contacts: ClosedRange<Int64>, app: Int64) throws {
        let columns = try connection.attributes.removedColumns(app: app)
        guard !columns.isEmpty else { return }
        let names = columns.flatMap { [$0.text, $0.numeric] }
        let filled = columns.map { column -> SQLText in "\(column.text) IS NOT NULL" }
        try connection.execute(
            """
            UPDATE \(AudienceColumns.table(of: app)) SET \(names.map { "\($0) = NULL" }.joined(by: ", "))
            WHERE contact_id BETWEEN ? AND ? AND (\(filled.joined(by: " OR ")))
            """,
            [.integer(contacts.lowerBound), .integer(contacts.upperBound)]
        )
    }

    /// - Parameter link: the device's contact, which must not have attributes yet. Nil: the row gets its contact, if
    ///   any, afterwards.
    func insert(_ device: DeviceRow, of link: NewDevice.Link? = nil) throws {
        let row = AudienceDevice(device)
        try connection.executeLater(
            """
            INSERT INTO \(AudienceColumns.table(of: device.app))
                (device_id, contact_id, known, \(AudienceDevice.own.joined(by: ", ")))
            VALUES (\(SQLText.marks(row.values.count + 3))) ON CONFLICT (device_id) DO NOTHING
            """,
            [.integer(device.id), .optional(link?.contact), .optional(link?.isKnown)] + row.values
        )
    }

    /// Updates the row of a device that was saved.
    func follow(_ device: DeviceRow) throws {
        var row = AudienceDevice(device)
        let table = AudienceColumns.table(of: device.app)
        let before = try connection.first(
            "SELECT \(AudienceDevice.columns) FROM \(table) WHERE device_id = ?", [.integer(device.id)],
            AudienceDevice.init
        )
        if before == nil { try insert(device) }
        if let before { row.keepOpening(of: before) }
        var changes = RowChanges()
        if let before, !before.isWritten(as: row) { changes.set(AudienceDevice.own, row.values) }
        if before?.contact != row.contact {
            try give(row.contact, after: before?.contact, app: device.app, to: &changes)
        }
        try apply(changes, table, where: "device_id", device.id)
        try connection.silentPushes.ask(row.changes(from: before), devices: [device.id], now: device.updatedAt)
    }

    /// Updates the row after an opening of the app, which a separate statement has stored.
    func follow(openingOf device: Int64, app: Int64, at: Date) throws {
        try connection.openings.follow(at, in: AudienceColumns.table(of: app), where: "device_id", device)
    }

    func delete(device: Int64) throws {
        guard
            let app = try connection.first(
                "SELECT app_id FROM devices WHERE id = ?", [.integer(device)], { $0.integer(0) }
            )
        else { return }
        try connection.execute(
            "DELETE FROM \(AudienceColumns.table(of: app)) WHERE device_id = ?", [.integer(device)]
        )
    }

    /// Updates the rows of devices whose consent a separate statement has changed.
    func followConsent(of devices: some Collection<Int64>) throws {
        for device in devices {
            let now = try connection.first(
                "SELECT app_id, \(DeviceRow.isOptedInSQL) FROM devices WHERE id = ?", [.integer(device)]
            ) { (app: $0.integer(0), isOptedIn: $0.integer(1)) }
            guard let now else { continue }
            try connection.execute(
                """
                UPDATE \(AudienceColumns.table(of: now.app)) SET push_opt_in = ?
                WHERE device_id = ? AND push_opt_in <> ?
                """,
                [.integer(now.isOptedIn), .integer(device), .integer(now.isOptedIn)]
            )
        }
    }
}

extension AudienceRepository {
    /// A contact's stored values before a change.
    struct StoredContact {
        let app: Int64
        let known: Bool
        /// JSON.
        let attributes: String
        /// JSON.
        let party: String?
        /// JSON; nil for a contact stored before times were recorded.
        let attributesAt: String?
        /// In milliseconds.
        let updatedAt: Int64

        enum Column: Int, ResultColumn {
            case app, known, attributes, party, attributesAt, updatedAt

            var sql: SQLText {
                switch self {
                case .app: "app_id"
                case .known: "known"
                case .attributes: "attributes"
                case .party: "party"
                case .attributesAt: "attributes_at"
                case .updatedAt: "updated_at"
                }
            }
        }

        init(_ row: any SQLRow) {
            let row = ResultRow<Column>(row)
            party = row.optionalText(.party)
            app = row.integer(.app)
            known = row.flag(.known)
            attributes = row.text(.attributes)
            attributesAt = row.optionalText(.attributesAt)
            updatedAt = row.integer(.updatedAt)
        }
    }

    func stored(contact: Int64) throws -> StoredContact? {
        try connection.first(
            "SELECT \(StoredContact.Column.selectList) FROM contacts WHERE id = ?", [.integer(contact)],
            StoredContact.init
        )
    }

    /// Updates the rows of a contact's devices after the contact was saved.
    ///
    /// - Parameter json: the contact's attributes as they are stored now.
    func follow(
        _ contact: Int64, from before: StoredContact?, known: Bool, attributes json: String, now: Date
    ) throws {
        guard let before, before.known != known || !before.attributes.utf8.elementsEqual(json.utf8) else { return }
        let table = AudienceColumns.table(of: before.app)
        let rows = try connection.query(
            "SELECT 1 FROM \(table) WHERE contact_id = ? LIMIT ?",
            [.integer(contact), .integer(Self.maximumRows + 1)]
        ) { $0.integer(0) }
        guard !rows.isEmpty else { return }
        let identity: AudienceChanges = before.known == known ? .attributes : [.identity, .attributes]
        try connection.silentPushes.ask(identity, contact: contact, now: now)
        guard rows.count <= Self.maximumRows else {
            return try connection.contactFollowings.begin(contact: contact, app: before.app)
        }
        let old = try StoredAttributes.read(before.attributes)
        let new = try StoredAttributes.read(json)
        let changed = Set(old.keys).union(new.keys).filter { !Self.isWritten(old[$0], as: new[$0]) }
        var changes = RowChanges()
        changes.set(["known"], [.flag(known)])
        for (name, column) in try connection.attributes.columns(named: changed.sorted(), app: before.app) {
            changes.set(column, to: new[name])
        }
        try apply(changes, table, where: "contact_id", contact)
    }

    /// The most rows of one contact that are written immediately. No person has so many devices, but where contacts are
    /// open, anyone can link any number of installations to one contact. If there are more, all are updated in the
    /// background (SEC-9).
    package static let maximumRows = 100

    /// Writes the contact's present values to some of its rows. A row that has another contact meanwhile is left out:
    /// it already has that contact's values.
    package func catchUp(_ devices: [Int64], with contact: Int64, app: Int64) throws {
        guard !devices.isEmpty, let stored = try stored(contact: contact) else { return }
        let attributes = try StoredAttributes.read(stored.attributes)
        var changes = RowChanges()
        changes.set(["known"], [.flag(stored.known)])
        for (name, column) in try connection.attributes.columns(app: app).attributes.sorted(by: { $0.key < $1.key }) {
            changes.set(column, to: attributes[name])
        }
        try connection.executeEach(
            """
            UPDATE \(AudienceColumns.table(of: app)) SET \(changes.assignments)
            WHERE device_id = ? AND contact_id = ?
            """,
            devices.map { changes.values + [.integer($0), .integer(contact)] }
        )
    }

    /// Clears a contact that no longer exists from the rows that still name it.
    func forget(contact: Int64, app: Int64) throws {
        let columns = try connection.attributes.columns(app: app).attributes.values.sorted { $0.number < $1.number }
        let names: [SQLText] = ["known"] + columns.flatMap { [$0.text, $0.numeric] }
        try connection.execute(
            """
            UPDATE \(AudienceColumns.table(of: app)) SET \(names.map { "\($0) = NULL" }.joined(by: ", "))
            WHERE contact_id = ?
            """,
            [.integer(contact)]
        )
    }

    /// Replaces the former contact's values by those of the device's new contact.
    private func give(_ contact: Int64?, after former: Int64?, app: Int64, to changes: inout RowChanges) throws {
        let stored = try contact.flatMap(stored(contact:))
        let attributes = try stored.map { try StoredAttributes.read($0.attributes) } ?? [:]
        changes.set(["contact_id", "known"], [.optional(contact), .optional(stored?.known)])
        if former == nil {
            for (name, column) in try connection.attributes.columns(named: attributes.keys.sorted(), app: app) {
                changes.set(column, to: attributes[name])
            }
        } else {
            for (name, column) in try connection.attributes.columns(app: app).attributes.sorted(by: { $0.key < $1.key })
            {
                changes.set(column, to: attributes[name])
            }
        }
    }

    private func apply(_ changes: RowChanges, _ table: SQLText, where key: SQLText, _ id: Int64) throws {
        guard !changes.values.isEmpty else { return }
        try connection.executeLater(
            "UPDATE \(table) SET \(changes.assignments) WHERE \(key) = ?", changes.values + [.integer(id)]
        )
    }

    /// Whether two values are equal to the last code point; in Swift, two spellings of "é" are equal.
    private static func isWritten(_ old: AttributeValue?, as new: AttributeValue?) -> Bool {
        guard case .string(let old)? = old, case .string(let new)? = new else { return old == new }
        return old.utf8.elementsEqual(new.utf8)
    }
}

/// Columns of an audience row with their new values.
private struct RowChanges {
    private(set) var assignments: SQLText = ""
    private(set) var values: [SQLValue] = []

    mutating func set(_ columns: [SQLText], _ values: [SQLValue]) {
        for column in columns {
            assignments = assignments == "" ? "\(column) = ?" : "\(assignments), \(column) = ?"
        }
        self.values += values
    }

    mutating func set(_ attribute: AudienceColumns.Attribute, to value: AttributeValue?) {
        set([attribute.text, attribute.numeric], attribute.values(of: value))
    }
}
