import BelfryModel
import Foundation

/// The filter of a list of an app's devices.
package enum DeviceSearch: Hashable, Sendable {
    case all
    case contact(Int64)
    case client(DeviceID)
    /// Devices in use with any of these spellings of a push token.
    case pushTokens([String])
}

extension DeviceRepository {
    /// An app's devices below a number, newest first, dormant ones included.
    package func list(
        app: Int64, _ search: DeviceSearch = .all, before cursor: Int64?, limit: Int
    ) throws -> DevicePage {
        let start = SQLValue.integer(cursor ?? .max)
        switch search {
        case .all:
            return try page(limit: limit) { table, limit in
                SQLFragment(Self.listSQL(in: table, connection.dialect), [.integer(app), start, limit])
            }
        case .contact(let contact):
            return try page(ofContact: contact, before: cursor, limit: limit)
        case .client(let client):
            if let directory {
                let numbers = try directory.installations(.client(client), app: app, before: cursor, limit: limit + 1)
                return try page(of: numbers, in: DeviceTable.allCases, limit: limit)
            }
            let named = Self.ids(of: client)
            return try page(limit: limit) { table, limit in
                SQLFragment(
                    Self.listOfClientSQL(named.sql, in: table), [.integer(app)] + named.arguments + [start, limit]
                )
            }
        case .pushTokens(let tokens):
            if let directory {
                let numbers = try tokens.flatMap { token in
                    try directory.installations(
                        .token(token), app: app, in: [.living], before: cursor, limit: limit + 1
                    )
                }
                return try page(of: numbers, in: [.living], limit: limit)
            }
            return try page(of: [.living], limit: limit) { _, limit in
                SQLFragment(
                    Self.listByTokenSQL(connection.dialect), [.texts(tokens), .integer(app), start, limit]
                )
            }
        }
    }

    /// Of devices to which a directory leads.
    private func page(of numbers: [Int64], in tables: [DeviceTable], limit: Int) throws -> DevicePage {
        let areThese = connection.dialect.isOneOf(numbers, "id", isFirst: true)
        return try page(of: tables, limit: limit) { table, limit in
            SQLFragment(
                "SELECT \(DeviceRow.columns) FROM \(table.source) WHERE \(areThese.sql) ORDER BY +id DESC LIMIT ?",
                areThese.arguments + [limit]
            )
        }
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func listSQL(in table: DeviceTable, _ dialect: any Dialect) -> SQLText {
        """
        SELECT \(DeviceRow.columns) FROM \(table.source) WHERE \(dialect.isArgument("app_id")) AND id < ?
        ORDER BY app_id DESC, id DESC LIMIT ?
        """
    }

    /// Its arguments are the contact, the cursor and the limit.
    package static func listOfContactSQL(in table: DeviceTable) -> SQLText {
        """
        SELECT \(DeviceRow.columns) FROM \(table.source) WHERE contact_id = ? AND id < ? ORDER BY id DESC LIMIT ?
        """
    }

    /// All installations with an id. Its arguments are the app, those of ``ids(of:)``, the cursor and the limit.
    package static func listOfClientSQL(_ named: SQLText, in table: DeviceTable) -> SQLText {
        // The installations are selected first by the index of ids, as for tokens below.
        """
        SELECT \(DeviceRow.columns) FROM \(table.source)
        WHERE app_id = ? AND \(named) AND +id < ? ORDER BY +id DESC LIMIT ?
        """
    }

    /// The ids of some devices, dormant ones included, by device number.
    package func clients(of ids: [Int64]) throws -> [Int64: String] {
        guard !ids.isEmpty else { return [:] }
        let areThese = connection.dialect.isAmong(ids, "id")
        let found = try DeviceTable.both { table in
            try connection.query(
                "SELECT id, client_id FROM \(table.name) WHERE \(areThese.sql)", areThese.arguments
            ) { ($0.integer(0), $0.text(1)) }
        }
        return found.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The limit up to which installations of an id are counted.
    package static let countedInstallations = 100

    /// How many installations each of some ids has, by canonical id. The count ends at one more than
    /// ``countedInstallations``.
    package func installations(of clients: [DeviceID], app: Int64) throws -> [String: Int] {
        try clients.reduce(into: [:]) { counts, client in
            guard counts[client.canonical] == nil else { return }
            if let directory {
                counts[client.canonical] =
                    try directory.installations(.client(client), app: app, limit: Self.countedInstallations + 1).count
                return
            }
            let named = Self.ids(of: client)
            let found = try DeviceTable.both { table in
                try connection.query(
                    "SELECT count(*) FROM (SELECT 1 FROM \(table.name) WHERE app_id = ? AND \(named.sql) LIMIT ?) n",
                    [.integer(app)] + named.arguments + [.integer(Self.countedInstallations + 1)]
                ) { Int($0.integer(0)) }
            }
            counts[client.canonical] = min(found.reduce(0, +), Self.countedInstallations + 1)
        }
    }

    /// Its arguments are the tokens, the app, the cursor and the limit. Few devices share a token: they are found by
    /// it, and not by a scan of the app's devices, which an engine without statistics estimates to be cheaper.
    package static func listByTokenSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(DeviceRow.columns) FROM devices
        WHERE push_token IN (\(dialect.texts)) AND +app_id = ? AND +id < ? ORDER BY +id DESC LIMIT ?
        """
    }
}
