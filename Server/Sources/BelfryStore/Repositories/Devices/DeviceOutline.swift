import BelfryModel
import Foundation

/// The identity of a device: its row without its snapshots, which may be long (SEC-2).
package struct DeviceOutline: Hashable, Sendable {
    package let id: Int64
    package let client: DeviceID
    package let contact: Int64?
    package let platform: String?
    package let lastOpenedAt: Date?
    package let createdAt: Date
}

extension DeviceOutline {
    /// The columns of ``DeviceTable/source``.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, client, contact, platform, lastOpenedAt, createdAt

        var sql: SQLText {
            switch self {
            case .id: DeviceRow.Column.id.sql
            case .client: DeviceRow.Column.client.sql
            case .contact: DeviceRow.Column.contact.sql
            case .platform: DeviceRow.Column.platform.sql
            case .lastOpenedAt: DeviceRow.Column.lastOpenedAt.sql
            case .createdAt: DeviceRow.Column.createdAt.sql
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), client: try DeviceID(row.text(.client)), contact: row.optionalInteger(.contact),
            platform: row.optionalText(.platform), lastOpenedAt: row.optionalDate(.lastOpenedAt),
            createdAt: row.date(.createdAt)
        )
    }
}

extension DeviceRepository {
    /// The newest devices of a contact, dormant ones included, newest first.
    package func outlines(ofContact contact: Int64, limit: Int) throws -> [DeviceOutline] {
        try newest(limit) { table in
            SQLFragment(
                "SELECT \(DeviceOutline.columns) FROM \(table.source) WHERE contact_id = ? ORDER BY id DESC LIMIT ?",
                [.integer(contact), .integer(limit)]
            )
        }
    }

    /// The newest installations with an id, dormant ones included, newest first.
    package func outlines(app: Int64, client: DeviceID, limit: Int) throws -> [DeviceOutline] {
        if let directory {
            let numbers = try directory.installations(.client(client), app: app, limit: limit)
            let areThese = connection.dialect.isOneOf(numbers, "id", isFirst: true)
            return try newest(limit) { table in
                SQLFragment(
                    "SELECT \(DeviceOutline.columns) FROM \(table.source) WHERE \(areThese.sql)", areThese.arguments
                )
            }
        }
        let named = Self.ids(of: client)
        return try newest(limit) { table in
            SQLFragment(
                """
                SELECT \(DeviceOutline.columns) FROM \(table.source)
                WHERE app_id = ? AND \(named.sql) ORDER BY +id DESC LIMIT ?
                """,
                [.integer(app)] + named.arguments + [.integer(limit)]
            )
        }
    }

    private func newest(_ limit: Int, _ statement: (DeviceTable) -> SQLFragment) throws -> [DeviceOutline] {
        let found = try DeviceTable.both { table -> [DeviceOutline] in
            let asked = statement(table)
            return try connection.query(asked.sql, asked.arguments, DeviceOutline.init)
        }
        return Array(found.sorted { $0.id > $1.id }.prefix(limit))
    }
}
