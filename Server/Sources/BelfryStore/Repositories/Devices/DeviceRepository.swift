import BelfryModel
import Foundation

package struct DeviceRepository {
    let connection: any SQLConnection

    /// The new value of `updated_at` for a moment, which is given twice: always greater than before, even if a clock
    /// was set back. A device that has seen the row detects a change by this column alone (WIRE-9).
    static let later: SQLText = "CASE WHEN updated_at < ? THEN ? ELSE updated_at + 1 END"

    /// Reads from the table of devices in use, unless another table is named.
    package func find(id: Int64, in table: DeviceTable = .living) throws -> DeviceRow? {
        try connection.first(
            "SELECT \(DeviceRow.columns) FROM \(table.source) WHERE id = ?", [.integer(id)], DeviceRow.init
        )
    }

    /// The device from either table; for reading, or for writes that do not depend on its own calls.
    package func findAnywhere(id: Int64) throws -> DeviceRow? {
        try DeviceTable.first { try find(id: id, in: $0) }
    }

    /// The installation that people mean by an id: the newest one with a contact, dormant ones included. A UUID matches
    /// in any spelling, any other id only in its own.
    package func find(app: Int64, client: DeviceID) throws -> DeviceRow? {
        let found = try DeviceTable.allCases.compactMap { try find(app: app, client: client, in: $0) }
        return found.filter { $0.contact != nil }.max { $0.id < $1.id } ?? found.max { $0.id < $1.id }
    }

    /// The newest installation with an id and a contact, in one table.
    package func find(app: Int64, client: DeviceID, in table: DeviceTable) throws -> DeviceRow? {
        if let directory {
            return try directory.newest(.client(client), app: app, in: table, where: "contact_id IS NOT NULL")
                ?? directory.newest(.client(client), app: app, in: table)
        }
        let named = Self.ids(of: client)
        return try connection.first(
            Self.findSQL(named.sql, in: table), [.integer(app)] + named.arguments, DeviceRow.init
        )
    }

    /// Its arguments are the app, and then those of ``ids(of:)``.
    package static func findSQL(_ named: SQLText, in table: DeviceTable = .living) -> SQLText {
        // Few rows have the same id. The sum keeps an engine from scanning the app's devices for the greatest number.
        """
        SELECT \(DeviceRow.columns) FROM \(table.source) WHERE id = (
            SELECT coalesce(max(CASE WHEN contact_id IS NOT NULL THEN id + 0 END), max(id + 0)) FROM \(table.source)
            WHERE app_id = ? AND \(named))
        """
    }

    /// The condition for the rows with an id, by the index of ids in lower case. The spelling is compared as an
    /// expression, since SQLite would otherwise use it to scan the app's devices.
    package static func ids(of client: DeviceID) -> (sql: SQLText, arguments: [SQLValue]) {
        client.isUUID
            ? ("lower(client_id) = ?", [.text(client.canonical)])
            : (
                "lower(client_id) = ? AND client_id || '' = ?",
                [.text(client.canonical.lowercased()), .text(client.canonical)]
            )
    }

    /// The numbers of all installations with an id, dormant ones included. An id is a name and no proof: a caller with
    /// nothing else is another installation (WIRE-20).
    package func numbers(app: Int64, client: DeviceID) throws -> [Int64] {
        if let directory { return try directory.installations(.client(client), app: app).sorted() }
        let named = Self.ids(of: client)
        return try DeviceTable.both { table in
            try connection.query(
                "SELECT id FROM \(table.source) WHERE app_id = ? AND \(named.sql)",
                [.integer(app)] + named.arguments
            ) { $0.integer(0) }
        }.sorted()
    }

    /// The newest installation with an id that has no contact. Anyone may ask for it with an id alone, so it costs the
    /// same however many installations the id has: those without a contact have an index of their own. It must be the
    /// newest: an older one that has ended may still have data to be removed, and a later caller has already begun
    /// another.
    package func unlinked(
        app: Int64, client: DeviceID, in table: DeviceTable = .living
    ) throws -> DeviceRow? {
        if let directory { return try directory.newest(.unlinked(client), app: app, in: table) }
        let question = Self.askForUnlinked(app: app, client: client, in: table)
        return try connection.first(question.sql, question.arguments, DeviceRow.init)
    }

    /// The query for an installation without a contact in one table.
    static func askForUnlinked(app: Int64, client: DeviceID, in table: DeviceTable) -> SQLFragment {
        SQLFragment(
            unlinkedSQL(isUUID: client.isUUID, in: table),
            [.integer(app), .text(client.canonical.lowercased())] + (client.isUUID ? [] : [.text(client.canonical)])
        )
    }

    /// Ordinary epochs count from 0 and stay below this. Epochs that begin after an erasure are above it, since they
    /// are drawn from 56 random bits (WIRE-20). Callers that show only the id never share their installations.
    static let firstDrawnEpoch: Int64 = 1 << 32

    /// Whether callers that show only the id may share an installation.
    package static let isUnlinked: SQLText = "contact_id IS NULL AND epoch < \(firstDrawnEpoch)"

    /// Its arguments are the app, the id in lower case, and, unless it is a UUID, the id itself.
    package static func unlinkedSQL(isUUID: Bool, in table: DeviceTable = .living) -> SQLText {
        """
        SELECT \(DeviceRow.columns) FROM \(table.source) WHERE id = (
            SELECT max(id + 0) FROM \(table.source)
            WHERE app_id = ? AND lower(client_id) = ? \(isUUID ? "" : "AND client_id = ?")
                AND \(isUnlinked))
        """
    }

    /// The newest installation with an id that is in this epoch and whose links nobody has used.
    package func unconfirmed(
        app: Int64, client: DeviceID, epoch: Int64, in table: DeviceTable = .living
    ) throws -> DeviceRow? {
        if let directory {
            let isOfEpoch: SQLFragment = "epoch = \(bind: .integer(epoch)) AND confirmed_generation = 0"
            return try directory.newest(.client(client), app: app, in: table, where: isOfEpoch)
        }
        let named = Self.ids(of: client)
        return try connection.first(
            """
            SELECT \(DeviceRow.columns) FROM \(table.source) WHERE id = (
                SELECT max(id + 0) FROM \(table.source)
                WHERE app_id = ? AND \(named.sql) AND epoch = ? AND confirmed_generation = 0)
            """,
            [.integer(app)] + named.arguments + [.integer(epoch)], DeviceRow.init
        )
    }

    /// Makes a new installation.
    ///
    /// - Parameter epoch: the epoch in which it begins (SEC-10).
    package func insert(app: Int64, client: DeviceID, epoch: Int64 = 0, now: Date) throws -> DeviceRow {
        let inserted = try insert([NewDevice(app: app, client: client, epoch: epoch, now: now)])
        guard let device = inserted.first else {
            throw StoreError.corrupted(table: "devices", key: client.rawValue)
        }
        return device
    }

    /// Makes several installations, perhaps with their first link. Returns their rows, in order.
    package func insert(_ devices: [NewDevice]) throws -> [DeviceRow] {
        let found = try connection.queryTogether(devices.map(\.insertion)) { $0.integer(0) }
        return try zip(devices, found).map { device, ids in
            guard let id = ids.first else {
                throw StoreError.corrupted(table: "devices", key: device.client.rawValue)
            }
            let row = device.row(id)
            try connection.audiences.insert(row, of: device.link)
            try directory?.write(DeviceEntries(row), over: nil)
            return row
        }
    }

    /// Writes the row of a device in its table. Dormant devices are in no audience, so none is updated for them.
    package func save(_ device: DeviceRow) throws {
        if let directory, let former = try directory.entries(of: device.id) {
            try directory.write(DeviceEntries(device), over: former)
        }
        if try save(device, in: .living) {
            try connection.openings.save(device.lastOpenedAt, of: .device, device.id)
            try connection.audiences.follow(device)
        } else if try save(device, in: .dormant), device.lastOpenedAt == nil {
            try connection.openings.forget(.device, device.id)
        }
    }

    /// - Returns: whether the table has the row.
    private func save(_ device: DeviceRow, in table: DeviceTable) throws -> Bool {
        try connection.execute(
            """
            UPDATE \(table.name) SET contact_id = ?, link_generation = ?, confirmed_generation = ?, push_token = ?,
                push_provider = ?, push_environment = ?, token_at = ?, push_enabled = ?, os_push_enabled = ?,
                opt_out_reason = ?, opt_out_at = ?, platform = ?, os_version = ?, app_version = ?, sdk_version = ?,
                device_model = ?, locale = ?, time_zone = ?, last_opened_at = \(WideOpening.saved), revision = ?,
                applied = ?, token_order = ?, properties_order = ?, contact_order = ?, epoch = ?, token_generation = ?,
                properties_generation = ?, contact_generation = ?, order_epoch = ?, v3_version = ?, v3_channel = ?,
                tag_contact_id = ?, tag_generation = ?,
                updated_at = \(Self.later)
            WHERE id = ?
            """,
            try device.changing + [.date(device.updatedAt), .integer(device.id)]
        ) > 0
    }

    /// Saves a device only if something has changed: repeating what is known changes nothing, not even the time of the
    /// last change (WIRE-25).
    package func save(_ device: DeviceRow, unless former: DeviceRow) throws {
        var former = former
        former.updatedAt = device.updatedAt
        if device != former { try save(device) }
    }

    /// Other devices of the app that have the token.
    package func others(holding token: PushToken, app: Int64, than device: Int64) throws -> [DeviceRow] {
        if let directory {
            let isOfProvider: SQLFragment = "push_provider = \(bind: .text(token.provider.rawValue))"
            let numbers = try directory.installations(
                .token(token.value), app: app, in: [.living], where: isOfProvider, except: device
            )
            let rows = numbers.map { number -> SQLFragment in
                "SELECT \(DeviceRow.columns) FROM devices WHERE id = \(bind: .integer(number))"
            }
            return try connection.queryTogether(rows, DeviceRow.init).flatMap(\.self)
        }
        return try connection.query(
            """
            SELECT \(DeviceRow.columns) FROM devices
            WHERE push_token = ? AND app_id = ? AND push_provider = ? AND id <> ?
            """,
            [.text(token.value), .integer(app), .text(token.provider.rawValue), .integer(device)], DeviceRow.init
        )
    }

    /// Whether the contact has other devices than this one, dormant ones included.
    package func hasOthers(of contact: Int64, than device: Int64) throws -> Bool {
        let others: [SQLValue] = [.integer(contact), .integer(device)]
        return try connection.first(
            """
            SELECT 1 FROM (SELECT 1 FROM devices WHERE contact_id = ? AND id <> ?
                UNION ALL SELECT 1 FROM dormant_devices WHERE contact_id = ? AND id <> ?) d LIMIT 1
            """,
            others + others
        ) { $0.flag(0) } ?? false
    }

    /// How many devices a contact has, dormant ones included.
    package func count(ofContact contact: Int64) throws -> Int {
        try DeviceTable.both { table in
            try connection.query("SELECT count(*) FROM \(table.name) WHERE contact_id = ?", [.integer(contact)]) {
                Int($0.integer(0))
            }
        }.reduce(0, +)
    }

    /// How many devices a contact has, counted up to a limit: it may have any number.
    package func count(ofContact contact: Int64, upTo limit: Int) throws -> Int {
        var count = 0
        for table in DeviceTable.allCases where count < limit {
            count +=
                try connection.first(
                    "SELECT count(*) FROM (SELECT 1 FROM \(table.name) WHERE contact_id = ? LIMIT ?) n",
                    [.integer(contact), .integer(limit - count)]
                ) { Int($0.integer(0)) } ?? 0
        }
        return count
    }

    package func confirmGeneration(_ generation: Int64, of device: Int64) throws {
        try connection.executeLater(
            "UPDATE devices SET confirmed_generation = ? WHERE id = ? AND confirmed_generation < ?",
            [.integer(generation), .integer(device), .integer(generation)]
        )
    }

    /// The highest number of a device, in use or dormant.
    package func highestID() throws -> Int64 {
        let living = try connection.first("SELECT max(id) FROM devices", []) { $0.integer(0) } ?? 0
        let dormant = try connection.first("SELECT max(id) FROM dormant_devices", []) { $0.integer(0) } ?? 0
        return max(living, dormant)
    }
}

extension SQLConnection {
    package var devices: DeviceRepository { DeviceRepository(connection: self) }
}
