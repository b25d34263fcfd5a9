import BelfryModel
import Foundation

/// The same questions where several servers hold the database. Devices, and what they have sent, are on others than
/// contacts there, and no statement joins the two (FLEET-5). So each fact is asked for alone, and in the same order: what
/// is large is not searched.
extension OrphanedContactRepository {
    func orphanInTurn(_ contact: Int64) throws -> ContactRow? {
        guard try !hasDevice(contact) else { return nil }
        let found = try connection.first(
            "SELECT \(ContactRow.Column.selectList(of: "c")) FROM contacts c WHERE c.id = ? AND c.merged_into IS NULL",
            [.integer(contact)], ContactRow.init
        )
        guard let found, let left = try formerDevices(of: contact, app: found.app) else { return nil }
        return try hasEvent(contact, left) || hasDelivery(contact, left, app: found.app) ? nil : found
    }

    func tiesInTurn(of contact: Int64) throws -> ContactTies? {
        guard let app = try connection.contacts.find(id: contact)?.app else { return nil }
        let hasDevice = try hasDevice(contact)
        guard let left = try formerDevices(of: contact, app: app) else {
            return ContactTies(devices: hasDevice, events: false, deliveries: false, isLarge: true)
        }
        return ContactTies(
            devices: hasDevice, events: try hasEvent(contact, left),
            deliveries: try hasDelivery(contact, left, app: app), isLarge: false
        )
    }

    func isEmptyInTurn(_ id: Int64) throws -> Bool {
        let app = try connection.first(
            "SELECT c.app_id FROM contacts c WHERE c.id = ? AND \(Self.isBlank) AND \(Self.hasNoRows)", [.integer(id)]
        ) { $0.integer(0) }
        guard let app, try !hasDevice(id) else { return false }
        return try hasNoTrace(id, app: app)
    }

    func emptyInTurn(_ numbers: ClosedRange<Int64>, before moment: Date) throws -> [(id: Int64, app: Int64)] {
        let found = try connection.query(
            """
            SELECT c.id, c.app_id FROM contacts c
            WHERE c.id BETWEEN ? AND ? AND c.updated_at < ? AND \(Self.isBlank) AND \(Self.hasNoRows) ORDER BY c.id
            """,
            [.integer(numbers.lowerBound), .integer(numbers.upperBound), .date(moment)]
        ) { (id: $0.integer(0), app: $0.integer(1)) }
        let held = try withDevices(among: found.map(\.id))
        return try found.filter { contact in
            try !held.contains(contact.id) && hasNoTrace(contact.id, app: contact.app)
        }
    }

    /// Those of some contacts that have a device in use, or a dormant one.
    private func withDevices(among contacts: [Int64]) throws -> Set<Int64> {
        guard !contacts.isEmpty else { return [] }
        let integers = connection.dialect.integers
        let found = try connection.query(
            """
            SELECT contact_id FROM devices WHERE contact_id IN (\(integers))
            UNION SELECT contact_id FROM dormant_devices WHERE contact_id IN (\(integers))
            """,
            [.integers(contacts), .integers(contacts)]
        ) { $0.integer(0) }
        return Set(found)
    }

    private func hasDevice(_ contact: Int64) throws -> Bool {
        // No device has the number 0.
        try connection.devices.hasOthers(of: contact, than: 0)
    }

    /// The devices that have left a contact; nil if a limit is exceeded.
    private func formerDevices(of contact: Int64, app: Int64) throws -> [Int64]? {
        let left = try connection.formerDevices.all(of: contact, app: app, limit: Self.maximumFormerDevices + 1)
        guard left.count <= Self.maximumFormerDevices else { return nil }
        if !left.isEmpty {
            let events = try connection.events.count(of: left, upTo: Self.maximumEvents + 1)
            let campaigns = try connection.first("SELECT count(*) FROM campaigns WHERE app_id = ?", [.integer(app)]) {
                Int($0.integer(0))
            }
            guard events <= Self.maximumEvents, (campaigns ?? 0) * left.count <= Self.maximumPlaces else { return nil }
        }
        let parts = try connection.contactParts.count(mergedInto: contact, upTo: Self.maximumParts + 1)
        return parts <= Self.maximumParts ? left : nil
    }

    /// Whether nothing is left of a contact on devices that have left it: no event, delivery or in-app message.
    private func hasNoTrace(_ contact: Int64, app: Int64) throws -> Bool {
        guard let left = try formerDevices(of: contact, app: app) else { return false }
        return try !hasEvent(contact, left) && !hasDelivery(contact, left, app: app)
            && !hasRow("in_app_copies", contact, left)
    }

    private func hasEvent(_ contact: Int64, _ devices: [Int64]) throws -> Bool {
        try hasRow("events", contact, devices)
    }

    private func hasRow(_ table: SQLText, _ contact: Int64, _ devices: [Int64]) throws -> Bool {
        guard !devices.isEmpty else { return false }
        return try connection.first(
            """
            SELECT 1 FROM \(table) WHERE device_id IN (\(connection.dialect.integers)) AND contact_id = ? LIMIT 1
            """,
            [.integers(devices), .integer(contact)]
        ) { $0.flag(0) } ?? false
    }

    private func hasDelivery(_ contact: Int64, _ devices: [Int64], app: Int64) throws -> Bool {
        guard !devices.isEmpty else { return false }
        let dialect = connection.dialect
        let areTheirs = dialect.isOneOf(devices, "l.device_id", isFirst: true)
        let named = try connection.query(
            """
            SELECT DISTINCT l.contact_id FROM deliveries l
            WHERE \(dialect.isFound("l.campaign_id", by: CampaignRepository.numbersOfApp)) AND \(areTheirs.sql)
                AND l.contact_id IS NOT NULL
            """,
            [.integer(app)] + areTheirs.arguments
        ) { $0.integer(0) }
        return try named.contains(contact) || !connection.contactParts.all(of: contact, among: named).isEmpty
    }
}
