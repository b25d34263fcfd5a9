import BelfryModel
import BelfryServerModel
import Foundation

/// All stored data of a person, page by page (ADM-4). Each page begins after the last row of the one before, in the
/// order of the table. A person's data is that of the contact and of all contacts merged into it. Dormant devices are
/// included.
package struct PersonRepository {
    let connection: any SQLConnection

    /// The present devices of a contact, by number.
    package func devices(of contact: Int64, after number: Int64, limit: Int) throws -> DevicePage {
        try connection.devices.page(isAscending: true, limit: limit) { table, limit in
            SQLFragment(
                "SELECT \(DeviceRow.columns) FROM \(table.source) WHERE contact_id = ? AND id > ? ORDER BY id LIMIT ?",
                [.integer(contact), .integer(number), limit]
            )
        }
    }

    /// The existing devices that have left a contact. The contact's list of devices is read first, and then the
    /// devices: the two are on different servers (FLEET-5).
    package func formerDevices(
        of contact: Int64, app: Int64, after number: Int64, limit: Int
    ) throws -> [(id: Int64, client: DeviceID)] {
        guard limit > 0 else { return [] }
        var found: [(id: Int64, client: DeviceID)] = []
        try connection.formerDevices.forEachPage(of: contact, app: app, after: number, limit: limit) { page in
            let clients = try connection.devices.clients(of: page)
            found += page.compactMap { id in clients[id].map { (id: id, client: DeviceID(stored: $0)) } }
            return found.count < limit
        }
        return Array(found.prefix(limit))
    }

    /// A contact's devices: first those for which a campaign has got furthest, then the newest.
    package func devices(
        of contact: Int64, furthestIn campaign: CampaignID, limit: Int
    ) throws -> [(id: Int64, client: DeviceID)] {
        let found = try DeviceTable.both { table in
            try connection.query(
                """
                SELECT d.id, d.client_id, \(Self.outcome) FROM \(table.name) d
                LEFT JOIN deliveries l ON l.campaign_id = ? AND l.device_id = d.id
                WHERE d.contact_id = ? ORDER BY \(Self.outcome), d.id DESC LIMIT ?
                """,
                [.integer(campaign.number), .integer(contact), .integer(limit)], DeviceByOutcome.init
            )
        }
        return found.furthest(limit).map { (id: $0.id, client: $0.client) }
    }

    /// The existing devices that have left a contact, and that have a ledger row of a campaign for this contact or one
    /// merged into it; in the same order.
    package func formerDevices(
        of contact: Int64, app: Int64, furthestIn campaign: CampaignID, limit: Int
    ) throws -> [(id: Int64, client: DeviceID)] {
        var furthest: [DeviceByOutcome] = []
        try connection.formerDevices.forEachPage(of: contact, app: app, limit: Self.devicesAtOnce) { page in
            let theirs = try outcomes(of: page, in: campaign, person: contact)
            let clients = try connection.devices.clients(of: theirs.map(\.device))
            let found = theirs.compactMap { row in
                clients[row.device].map {
                    DeviceByOutcome(id: row.device, client: DeviceID(stored: $0), outcome: row.outcome)
                }
            }
            furthest = (furthest + found).furthest(limit)
            return true
        }
        return furthest.map { (id: $0.id, client: $0.client) }
    }

    /// How many devices that have left a contact are looked up in one statement.
    private static let devicesAtOnce = 1_000

    /// How far a campaign has got for those of some devices whose ledger row belongs to the person.
    private func outcomes(
        of devices: [Int64], in campaign: CampaignID, person contact: Int64
    ) throws -> [(device: Int64, outcome: Int64)] {
        let areTheirs = connection.dialect.isOneOf(devices, "l.device_id", isFirst: true)
        let rows = try connection.query(
            """
            SELECT l.device_id, \(Self.outcome), l.contact_id FROM deliveries l
            WHERE l.campaign_id = ? AND \(areTheirs.sql) AND l.contact_id IS NOT NULL
            """,
            [.integer(campaign.number)] + areTheirs.arguments
        ) { (device: $0.integer(0), outcome: $0.integer(1), contact: $0.integer(2)) }
        let parts = try connection.contactParts.all(of: contact, among: rows.map(\.contact))
        return rows.filter { parts.contains($0.contact) }.map { (device: $0.device, outcome: $0.outcome) }
    }

    /// How far a ledger row has got, the furthest first.
    private static let outcome: SQLText = """
        CASE l.state WHEN 'accepted' THEN 0 WHEN 'pending' THEN 1 WHEN 'rejected' THEN 2 WHEN 'suppressed' THEN 3
            WHEN 'cancelled' THEN 4 ELSE 5 END
        """

    /// The events that a device sent for a person, by event id.
    ///
    /// - Parameters:
    ///   - withNobodys: whether events without a contact belong to the person as well.
    ///   - maximumBytes: the bytes of attributes after which no more events are read; the first event is read in any
    ///     case.
    /// - Returns: the events, and whether there may be more.
    package func events(
        of device: Int64, person contact: Int64, withNobodys: Bool, after id: String, limit: Int, maximumBytes: Int
    ) throws -> (events: [EventRow], isCut: Bool) {
        guard !connection.dialect.isDistributed else {
            return try eventsInTurn(
                of: device, person: contact, withNobodys: withNobodys, after: id, limit: limit,
                maximumBytes: maximumBytes
            )
        }
        let owner: SQLText = "\(ContactRepository.surviving(in: "contact_id")) = ?"
        var room = ByteRoom(maximumBytes)
        let events = try connection.query(
            """
            SELECT \(EventRow.columns) FROM events
            WHERE device_id = ? AND event_id > ? AND (\(owner)\(withNobodys ? " OR contact_id IS NULL" : ""))
            ORDER BY event_id LIMIT ?
            """,
            [.integer(device), .text(id), .integer(contact), .integer(limit)],
            texts: [EventRow.Column.attributes.rawValue], in: &room, EventRow.init
        )
        return (events, room.isCut || events.count == limit)
    }

    /// How many events are looked through at once for those of a person.
    package static let eventsAtOnce = 1_000

    /// The same where contacts are on other servers than events (FLEET-5): the events are looked through some at a time,
    /// and of each part the contacts that it names are asked for. A device may have sent any number of events.
    private func eventsInTurn(
        of device: Int64, person contact: Int64, withNobodys: Bool, after id: String, limit: Int, maximumBytes: Int
    ) throws -> (events: [EventRow], isCut: Bool) {
        var room = ByteRoom(maximumBytes)
        var events: [EventRow] = []
        var start = id
        while events.count < limit, !room.isCut {
            let part = try connection.query(
                "SELECT event_id, contact_id FROM events WHERE device_id = ? AND event_id > ? ORDER BY event_id LIMIT ?",
                [.integer(device), .text(start), .integer(Self.eventsAtOnce)]
            ) { (id: $0.text(0), contact: $0.optionalInteger(1)) }
            guard let last = part.last else { break }
            let named = Set(part.compactMap(\.contact))
            let isTheirs = try connection.contactParts.isPart("contact_id", of: contact, among: Array(named))
            events += try connection.query(
                """
                SELECT \(EventRow.columns) FROM events WHERE device_id = ? AND event_id > ? AND event_id <= ?
                    AND (\(isTheirs.sql)\(withNobodys ? " OR contact_id IS NULL" : "")) ORDER BY event_id LIMIT ?
                """,
                [.integer(device), .text(start), .text(last.id)] + isTheirs.arguments
                    + [.integer(limit - events.count)],
                texts: [EventRow.Column.attributes.rawValue], in: &room, EventRow.init
            )
            guard part.count == Self.eventsAtOnce else { break }
            start = last.id
        }
        return (events, room.isCut || events.count == limit)
    }

    /// The messages in a contact's message centers, including those that the contact may not see.
    package func messages(
        of contact: Int64, after position: StoredMessage.Position?, limit: Int
    ) throws -> [StoredMessage] {
        let start = position ?? .start
        return try connection.query(
            """
            SELECT \(StoredMessage.columns) FROM center_messages m
            WHERE m.contact_id = ? AND (m.center, m.sent_at, m.campaign_id) > (?, ?, ?)
            ORDER BY m.center, m.sent_at, m.campaign_id LIMIT ?
            """,
            [
                .integer(contact), .text(start.center), .integer(start.sentAt), .integer(start.campaign),
                .integer(limit),
            ],
            StoredMessage.init
        )
    }

    /// The ledger rows of a device that were planned for a person, the newest campaign first.
    package func deliveries(
        of device: Int64, person contact: Int64, app: Int64, before campaign: Int64, limit: Int
    ) throws -> [DeliveryRow] {
        let dialect = connection.dialect
        let isTheirs = try connection.contactParts.isPart(
            "l.contact_id", of: contact,
            among: SQLFragment(
                """
                SELECT DISTINCT l.contact_id FROM deliveries l
                WHERE l.device_id = ? AND \(dialect.isFound("l.campaign_id", by: CampaignRepository.numbersOfApp))
                    AND l.contact_id IS NOT NULL
                """,
                [.integer(device), .integer(app)]
            )
        )
        return try connection.query(
            Self.deliveriesSQL(dialect, isTheirs.sql),
            [.integer(device), .integer(app), .integer(campaign)] + isTheirs.arguments + [.integer(limit)],
            DeliveryRow.init
        )
    }

    /// Its arguments are the device, its app, the campaign before, the contact and the limit.
    package static func deliveriesSQL(_ dialect: any Dialect) -> SQLText {
        deliveriesSQL(dialect, "\(ContactRepository.surviving(in: "l.contact_id")) = ?")
    }

    private static func deliveriesSQL(_ dialect: any Dialect, _ isTheirs: SQLText) -> SQLText {
        """
        SELECT \(DeliveryRow.columns) FROM deliveries l
        WHERE l.device_id = ? AND \(dialect.isFound("l.campaign_id", by: CampaignRepository.numbersOfApp))
            AND l.campaign_id < ? AND \(isTheirs)
        ORDER BY l.campaign_id DESC LIMIT ?
        """
    }

    /// The in-app messages that a device has for a person, by campaign and contact.
    package func inAppMessages(
        of device: Int64, person contact: Int64, after place: (campaign: Int64, contact: Int64), limit: Int
    ) throws -> [InAppDeviceStateRow] {
        let isTheirs = try connection.contactParts.isPart(
            "contact_id", of: contact,
            among: "SELECT DISTINCT contact_id FROM in_app_copies WHERE device_id = \(bind: .integer(device))"
        )
        return try connection.query(
            """
            SELECT \(InAppDeviceStateRow.columns) FROM in_app_copies
            WHERE device_id = ? AND \(isTheirs.sql)
                AND (campaign_id, contact_id) > (?, ?)
            ORDER BY campaign_id, contact_id LIMIT ?
            """,
            [.integer(device)] + isTheirs.arguments
                + [.integer(place.campaign), .integer(place.contact), .integer(limit)],
            InAppDeviceStateRow.init
        )
    }

    /// Some campaigns, by their numbers.
    package func campaigns(_ ids: [CampaignID]) throws -> [CampaignID: CampaignSummary] {
        let found = try connection.query(
            "SELECT \(CampaignSummary.columns) FROM campaigns WHERE id IN (\(connection.dialect.integers))",
            [.integers(ids.map(\.number))], CampaignSummary.init
        )
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }
}

/// A device, and how far a campaign has got for it.
private struct DeviceByOutcome {
    let id: Int64
    let client: DeviceID
    let outcome: Int64
}

extension DeviceByOutcome {
    /// Reads `id, client_id` and the rank of the row's state.
    init(_ row: any SQLRow) {
        self.init(id: row.integer(0), client: DeviceID(stored: row.text(1)), outcome: row.integer(2))
    }
}

extension [DeviceByOutcome] {
    /// First the devices for which the campaign has got furthest, then the newest.
    fileprivate func furthest(_ limit: Int) -> [DeviceByOutcome] {
        Array(sorted { ($0.outcome, $1.id) < ($1.outcome, $0.id) }.prefix(limit))
    }
}

/// A message in a message center, with all its stored data.
package struct StoredMessage: Hashable, Sendable {
    /// The position of the message among those of its contact.
    package struct Position: Hashable, Sendable {
        let center: String
        let sentAt: Int64
        let campaign: Int64

        /// Before the first message of any message center.
        static let start = Position(center: "", sentAt: .min, campaign: .min)
    }

    package let message: MessageCenterMessageRow
    package let stateAt: Date?
    package let richHTML: String?

    package var position: Position {
        Position(
            center: message.center.rawValue, sentAt: message.sentAt.milliseconds, campaign: message.campaign.number
        )
    }
}

extension StoredMessage {
    static let columns: SQLText = "\(MessageCenterMessageRow.columns), \(Column.selectList)"

    enum Column: Int, ResultColumn {
        case stateAt, richHTML

        var sql: SQLText {
            switch self {
            case .stateAt: "m.state_at"
            case .richHTML: MessageCenterMessageRow.own("rich_html")
            }
        }
    }

    init(_ source: any SQLRow) throws {
        let row = ResultRow<Column>(source, after: MessageCenterMessageRow.Column.columnCount)
        self.init(
            message: try MessageCenterMessageRow(source), stateAt: row.optionalDate(.stateAt),
            richHTML: row.optionalText(.richHTML)
        )
    }
}

extension SQLConnection {
    package var people: PersonRepository { PersonRepository(connection: self) }
}
