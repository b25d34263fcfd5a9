import BelfryModel
import Crypto
import Foundation

/// Which installations have a client id, and which have a push token, on a distributed database (FLEET-5): devices lie by
/// their numbers there, so no index of theirs says it without a look at all shards.
///
/// Entries are written and removed in the transaction that writes or removes the row to which they lead. A dormant
/// installation has the same number, so its entries stay as they are. Whoever finds a row by an entry compares the two, so
/// an entry that leads nowhere does no harm.
struct DeviceDirectory {
    /// How many entries are read at once. As a rule an id has one or two, but anyone can make more.
    static let page = 100

    let connection: any SQLConnection

    /// The numbers of installations, the newest first: entries are read first, and then asked of their rows.
    ///
    /// - Parameters:
    ///   - condition: holds for their rows.
    ///   - device: is left out.
    ///   - cursor: they are below it.
    func installations(
        _ key: DeviceKey, app: Int64, in tables: [DeviceTable] = DeviceTable.allCases,
        where condition: SQLFragment = .everybody, except device: Int64? = nil, before cursor: Int64? = nil,
        limit: Int = .max
    ) throws -> [Int64] {
        var found: [Int64] = []
        var cursor = cursor ?? .max
        while found.count < limit {
            let entries = key.entries(app: app, before: cursor, limit: Self.page)
            let numbers = try connection.query(entries.sql, entries.arguments) { $0.integer(0) }
            let rows = numbers.filter { $0 != device }.flatMap { number in
                tables.map { key.row(number, app: app, in: $0, where: condition) }
            }
            found += try connection.queryTogether(rows) { $0.integer(0) }.flatMap(\.self)
            guard numbers.count == Self.page, let last = numbers.last else { break }
            cursor = last
        }
        return Array(found.prefix(limit))
    }

    /// The newest of the installations in a table for which a condition holds.
    func newest(
        _ key: DeviceKey, app: Int64, in table: DeviceTable, where condition: SQLFragment = .everybody
    ) throws -> DeviceRow? {
        let number = try installations(key, app: app, in: [table], where: condition, limit: 1).first
        return try number.flatMap { try connection.devices.find(id: $0, in: table) }
    }

    /// What the entries of an installation are to say by its row, dormant or not; nil without one.
    func entries(of device: Int64) throws -> DeviceEntries? {
        try DeviceTable.first { table in
            try connection.first(
                "SELECT \(DeviceEntries.columns) FROM \(table.name) WHERE id = ?", [.integer(device)]
            ) { DeviceEntries($0) }
        }
    }

    /// Writes entries as far as they have changed. A client id stays with its row for good.
    ///
    /// - Parameter former: nil for a new installation.
    func write(_ entries: DeviceEntries, over former: DeviceEntries?) throws {
        if former?.isUnlinked != entries.isUnlinked {
            try connection.executeLater(
                """
                INSERT INTO client_ids (app_id, client_hash, device_id, unlinked) VALUES (?, ?, ?, ?)
                ON CONFLICT (app_id, client_hash, device_id) DO UPDATE SET unlinked = excluded.unlinked
                """,
                entries.clientKey + [.flag(entries.isUnlinked)]
            )
        }
        guard former?.tokenHash != entries.tokenHash else { return }
        if let former { try removeToken(former) }
        guard let key = entries.tokenKey else { return }
        try connection.executeLater(
            """
            INSERT INTO push_tokens (app_id, token_hash, device_id) VALUES (?, ?, ?)
            ON CONFLICT (app_id, token_hash, device_id) DO NOTHING
            """,
            key
        )
    }

    /// Removes the entries of an installation whose row is gone.
    func remove(_ entries: DeviceEntries) throws {
        try connection.executeLater(
            "DELETE FROM client_ids WHERE app_id = ? AND client_hash = ? AND device_id = ?", entries.clientKey
        )
        try removeToken(entries)
    }

    private func removeToken(_ entries: DeviceEntries) throws {
        guard let key = entries.tokenKey else { return }
        try connection.executeLater(
            "DELETE FROM push_tokens WHERE app_id = ? AND token_hash = ? AND device_id = ?", key
        )
    }

    /// Half of the text's SHA-256: no entry is too long, and Citus can distribute by it.
    fileprivate static func hash(of text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8)).prefix(16)).base64EncodedString()
    }
}

/// By what installations are looked for in a directory.
enum DeviceKey {
    case client(DeviceID)
    /// An id, for those that anyone may share who shows nothing else. They have an index of their own, since there may be
    /// any number of others (``DeviceRepository/unlinked(app:client:in:)``).
    case unlinked(DeviceID)
    case token(String)

    /// The question for the numbers of an app's installations below one, the newest first.
    func entries(app: Int64, before number: Int64, limit: Int) -> SQLFragment {
        let sql: SQLText =
            switch self {
            case .client:
                """
                SELECT device_id FROM client_ids WHERE app_id = ? AND client_hash = ? AND device_id < ?
                ORDER BY device_id DESC LIMIT ?
                """
            case .unlinked:
                """
                SELECT device_id FROM client_ids WHERE app_id = ? AND client_hash = ? AND unlinked = 1 AND device_id < ?
                ORDER BY device_id DESC LIMIT ?
                """
            case .token:
                """
                SELECT device_id FROM push_tokens WHERE app_id = ? AND token_hash = ? AND device_id < ?
                ORDER BY device_id DESC LIMIT ?
                """
            }
        return SQLFragment(sql, [.integer(app), .text(hash), .integer(number), .integer(limit)])
    }

    /// The question whether a number leads to such an installation in a table, for which a condition holds. It finds the
    /// number again.
    func row(
        _ number: Int64, app: Int64, in table: DeviceTable, where condition: SQLFragment = .everybody
    ) -> SQLFragment {
        """
        SELECT id FROM \(table.source) WHERE id = \(bind: .integer(number)) AND app_id = \(bind: .integer(app))
            AND \(isKey) AND \(condition)
        """
    }

    private var isKey: SQLFragment {
        switch self {
        case .client(let client):
            let named = DeviceRepository.ids(of: client)
            return SQLFragment(named.sql, named.arguments)
        case .unlinked(let client): return "\(DeviceKey.client(client).isKey) AND \(DeviceRepository.isUnlinked)"
        case .token(let token): return "push_token = \(bind: .text(token))"
        }
    }

    private var hash: String {
        switch self {
        case .client(let client), .unlinked(let client): DeviceDirectory.hash(of: client.canonical)
        case .token(let token): DeviceDirectory.hash(of: token)
        }
    }
}

/// What the directories say of an installation.
struct DeviceEntries {
    fileprivate let device: Int64
    fileprivate let app: Int64
    fileprivate let clientHash: String
    fileprivate let tokenHash: String?
    /// Whether anyone may share it who shows nothing but its id.
    fileprivate let isUnlinked: Bool

    fileprivate init(device: Int64, app: Int64, client: String, token: String?, isUnlinked: Bool) {
        self.device = device
        self.app = app
        clientHash = DeviceDirectory.hash(of: client)
        tokenHash = token.map(DeviceDirectory.hash(of:))
        self.isUnlinked = isUnlinked
    }

    fileprivate static let columns = Column.selectList

    private enum Column: Int, ResultColumn {
        case id, app, client, token, isUnlinked

        var sql: SQLText {
            switch self {
            case .id: DeviceRow.Column.id.sql
            case .app: DeviceRow.Column.app.sql
            case .client: DeviceRow.Column.client.sql
            case .token: DeviceRow.Column.pushToken.sql
            case .isUnlinked: "CASE WHEN \(DeviceRepository.isUnlinked) THEN 1 ELSE 0 END"
            }
        }
    }

    fileprivate init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            device: row.integer(.id), app: row.integer(.app), client: DeviceID.canonical(of: row.text(.client)),
            token: row.optionalText(.token), isUnlinked: row.flag(.isUnlinked)
        )
    }

    init(_ device: DeviceRow) {
        self.init(
            device: device.id, app: device.app, client: device.client.canonical, token: device.pushToken?.value,
            isUnlinked: device.contact == nil && device.epoch < DeviceRepository.firstDrawnEpoch
        )
    }

    fileprivate var clientKey: [SQLValue] { [.integer(app), .text(clientHash), .integer(device)] }

    fileprivate var tokenKey: [SQLValue]? { tokenHash.map { [.integer(app), .text($0), .integer(device)] } }
}

extension DeviceRepository {
    /// Who knows which installations have an id or a token; nil where one server has the whole database, whose indexes say
    /// it.
    var directory: DeviceDirectory? {
        connection.dialect.isDistributed ? DeviceDirectory(connection: connection) : nil
    }
}
