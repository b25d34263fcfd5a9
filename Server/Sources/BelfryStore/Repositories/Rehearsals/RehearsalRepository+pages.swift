import BelfryModel
import Foundation

/// The results of rehearsals, page by page.
extension RehearsalRepository {
    /// The pages that end after a device, in order; the first may begin before it.
    package func pages(of id: Int64, after device: Int64, limit: Int) throws -> [RehearsalPage] {
        try connection.query(
            """
            SELECT content FROM rehearsal_pages WHERE rehearsal_id = ? AND last_device > ?
            ORDER BY last_device LIMIT ?
            """,
            [.integer(id), .integer(device), .integer(limit)]
        ) { try Self.page(of: id, $0.blob(0)) }
    }

    /// The next pages after a device: the last device of each, and whether the page may have wanted devices. Only the
    /// heads of the pages are read.
    package func heads(
        of id: Int64, after device: Int64, having filter: RehearsedFilter, limit: Int
    ) throws -> [(lastDevice: Int64, mayHave: Bool)] {
        try connection.query(
            """
            SELECT last_device, substr(content, 1, \(RehearsalPageHead.maximumBytes)) FROM rehearsal_pages
            WHERE rehearsal_id = ? AND last_device > ? AND (outcomes & ?) <> 0 ORDER BY last_device LIMIT ?
            """,
            [.integer(id), .integer(device), .integer(filter.outcomeMask), .integer(limit)]
        ) { (lastDevice: $0.integer(0), mayHave: filter.mayAdmit(RehearsalPageHead($0.blob(1)))) }
    }

    /// The devices of the page that ends at this device; empty if it no longer exists.
    package func devices(of id: Int64, endingAt device: Int64) throws -> [RehearsedDevice] {
        try connection.query(
            "SELECT content FROM rehearsal_pages WHERE rehearsal_id = ? AND last_device = ?",
            [.integer(id), .integer(device)]
        ) { try Self.page(of: id, $0.blob(0)) }.flatMap(\.devices)
    }

    private static func page(of id: Int64, _ content: [UInt8]) throws -> RehearsalPage {
        guard let page = RehearsalPage(packed: content) else {
            throw StoreError.corrupted(table: "rehearsal_pages", key: String(id))
        }
        return page
    }

    /// The result for one device; nil if it was not in the audience.
    package func find(_ device: Int64, in id: Int64) throws -> RehearsedDevice? {
        try pages(of: id, after: device - 1, limit: 1).first?.devices.first { $0.device == device }
    }

    /// The results for a device in the next rehearsals of its app, in order.
    ///
    /// - Returns: also the last rehearsal that was searched; nil when there are no more.
    package func found(
        for device: Int64, behind rehearsal: Int64
    ) throws -> (found: [(rehearsal: Int64, device: RehearsedDevice)], last: Int64?) {
        guard let app = try self.app(of: device) else { return ([], nil) }
        let looked = try pages(around: device, app: app, behind: rehearsal)
        let found = looked.compactMap { entry -> (rehearsal: Int64, device: RehearsedDevice)? in
            guard let one = entry.page?.devices.first(where: { $0.device == device }) else { return nil }
            return (rehearsal: entry.rehearsal, device: one)
        }
        return (found, looked.count == Self.rehearsalsAtOnce ? looked.last?.rehearsal : nil)
    }

    /// Removes a device from all rehearsals of its app, because its person is erased. The sums stay, as those of
    /// campaigns do (REG-36).
    package func forget(device: Int64) throws {
        guard let app = try self.app(of: device) else { return }
        try connection.execute(
            "UPDATE rehearsals SET comparison = NULL WHERE comparison IS NOT NULL AND app_id = ?", [.integer(app)]
        )
        var last: Int64 = 0
        while true {
            let found = try pages(around: device, app: app, behind: last)
            let named = found.compactMap { entry -> (rehearsal: Int64, page: RehearsalPage)? in
                guard let page = entry.page, page.devices.contains(where: { $0.device == device }) else { return nil }
                return (rehearsal: entry.rehearsal, page: page)
            }
            try take(device, outOf: named)
            guard found.count == Self.rehearsalsAtOnce, let end = found.last else { return }
            last = end.rehearsal
        }
    }

    /// The app of a device, in use or dormant; nil if it does not exist.
    private func app(of device: Int64) throws -> Int64? {
        try DeviceTable.first { table in
            try connection.first("SELECT app_id FROM \(table.name) WHERE id = ?", [.integer(device)]) { $0.integer(0) }
        }
    }

    /// How many rehearsals are searched in one step: the erasure of a person has a page of each in memory.
    private static let rehearsalsAtOnce = 100

    /// The next rehearsals of a device's app, each with the page that contains the device, if any.
    private func pages(
        around device: Int64, app: Int64, behind rehearsal: Int64
    ) throws -> [(rehearsal: Int64, page: RehearsalPage?)] {
        try connection.query(
            Self.pagesAroundSQL(connection.dialect),
            [
                .integer(device), .integer(device), .integer(app), .integer(rehearsal),
                .integer(Self.rehearsalsAtOnce),
            ]
        ) { row -> (rehearsal: Int64, page: RehearsalPage?) in
            guard !row.isNull(1) else { return (rehearsal: row.integer(0), page: nil) }
            return (rehearsal: row.integer(0), page: try Self.page(of: row.integer(0), row.blob(1)))
        }
    }

    /// Its arguments are the device twice, its app, the rehearsal before, and the limit.
    package static func pagesAroundSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT r.id, (SELECT CASE WHEN p.first_device <= ? THEN p.content END FROM rehearsal_pages p
            WHERE p.rehearsal_id = r.id AND p.last_device >= ? ORDER BY p.last_device LIMIT 1)
        FROM rehearsals r WHERE \(dialect.isArgument("r.app_id")) AND r.id > ?
        ORDER BY r.app_id, r.id LIMIT ?
        """
    }

    private func take(_ device: Int64, outOf pages: [(rehearsal: Int64, page: RehearsalPage)]) throws {
        try connection.executeEach(
            "DELETE FROM rehearsal_pages WHERE rehearsal_id = ? AND last_device = ?",
            pages.compactMap { entry -> [SQLValue]? in
                entry.page.devices.last.map { [.integer(entry.rehearsal), .integer($0.device)] }
            }
        )
        for entry in pages {
            let left = RehearsalPage(entry.page.devices.filter { $0.device != device })
            try insert([PackedRehearsalPage(left)].compactMap(\.self), of: entry.rehearsal)
        }
    }

    func insert(_ pages: [PackedRehearsalPage], of id: Int64) throws {
        try connection.executeEach(
            """
            INSERT INTO rehearsal_pages (rehearsal_id, last_device, first_device, outcomes, content)
            VALUES (?, ?, ?, ?, ?)
            """,
            pages.map { page in
                [
                    .integer(id), .integer(page.lastDevice), .integer(page.firstDevice), .integer(page.outcomes),
                    .blob(page.content),
                ]
            }
        )
    }
}

/// Queries of a rehearsal about many devices.
extension RehearsalRepository {
    /// How many of the events that ``events(named:of:app:since:limit:)`` reads have at most so many bytes of attributes
    /// in total; nil if all fit.
    package func eventCount(
        named name: String, of devices: [Int64], app: Int64, since: Date, limit: Int, maximumBytes: Int
    ) throws -> Int? {
        let question = Self.eventQuestion(
            connection.dialect.bytes(of: "attributes"), named: name, of: devices, app: app, since: since, limit: limit,
            connection.dialect
        )
        var left = Int64(maximumBytes)
        let lengths = try connection.query(question.sql, question.arguments) { $0.integer(0) }
        return lengths.firstIndex { length in
            left -= length
            return left < 0
        }
    }

    /// The recorded events with a name of some devices since a moment, ordered by device, oldest first.
    package func events(
        named name: String, of devices: [Int64], app: Int64, since: Date, limit: Int
    ) throws -> [(device: Int64, at: Date, attributes: [String: AttributeValue])] {
        let question = Self.eventQuestion(
            named: name, of: devices, app: app, since: since, limit: limit, connection.dialect
        )
        return try connection.query(question.sql, question.arguments) { row in
            (device: row.integer(0), at: row.date(1), attributes: try StoredAttributes.read(row.text(2)))
        }
    }

    /// The times of the same events.
    package func eventMoments(
        named name: String, of devices: [Int64], app: Int64, since: Date, limit: Int
    ) throws -> [(device: Int64, at: Date)] {
        let question = Self.eventQuestion(
            "device_id, at", named: name, of: devices, app: app, since: since, limit: limit, connection.dialect
        )
        return try connection.query(question.sql, question.arguments) { (device: $0.integer(0), at: $0.date(1)) }
    }

    package static func eventQuestion(
        _ columns: SQLText = "device_id, at, attributes", named name: String, of devices: [Int64], app: Int64,
        since: Date, limit: Int, _ dialect: any Dialect
    ) -> SQLFragment {
        // Without bounds: very many devices of other apps, or outside the audience, may lie between them.
        let areTheirs = dialect.isOneOf(devices, "device_id", isFirst: true)
        return SQLFragment(
            """
            SELECT \(columns) FROM events
            WHERE \(areTheirs.sql) AND app_id = ? AND name = ? AND at >= ?
            ORDER BY device_id, at, event_id LIMIT ?
            """,
            areTheirs.arguments + [.integer(app), .text(name), .date(since), .integer(limit)]
        )
    }

    /// The ids and present contacts of devices, dormant ones included, by number; devices that no longer exist are
    /// missing.
    package func clients(of devices: [Int64]) throws -> [Int64: (id: String, contact: Int64?)] {
        guard !devices.isEmpty else { return [:] }
        let found = try DeviceTable.both { table in
            try connection.query(
                "SELECT id, client_id, contact_id FROM \(table.name) WHERE id IN (\(connection.dialect.integers))",
                [.integers(devices)]
            ) { ($0.integer(0), (id: $0.text(1), contact: $0.optionalInteger(2))) }
        }
        return Dictionary(found) { first, _ in first }
    }

    /// The given holders that already have as many visible messages in a center as it shows, by number.
    package func crowded(
        _ holders: [Int64], center: MessageCenterName, now: Date, limit: Int
    ) throws -> Set<Int64> {
        let found = try connection.query(
            """
            SELECT contact_id FROM center_messages
            WHERE contact_id IN (\(connection.dialect.integers)) AND center = ? AND state <> 'deleted'
                AND (expires_at IS NULL OR expires_at > ?)
            GROUP BY contact_id HAVING count(*) >= ?
            """,
            [.integers(holders), .text(center.rawValue), .date(now), .integer(limit)]
        ) { $0.integer(0) }
        return Set(found)
    }

    /// A ledger row, as far as a comparison needs it.
    package struct LedgerEntry: Hashable, Sendable {
        package let device: Int64
        package let state: String
        package let reason: String?
    }

    /// The ledger rows of a range of devices, ordered by device number.
    package func ledger(
        of campaign: CampaignID, devices: ClosedRange<Int64>, limit: Int = .max
    ) throws -> [LedgerEntry] {
        try connection.query(
            """
            SELECT device_id, state, reason FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?
            ORDER BY device_id LIMIT ?
            """,
            [
                .integer(campaign.number), .integer(devices.lowerBound), .integer(devices.upperBound),
                .integer(limit),
            ]
        ) { LedgerEntry(device: $0.integer(0), state: $0.text(1), reason: $0.optionalText(2)) }
    }
}
