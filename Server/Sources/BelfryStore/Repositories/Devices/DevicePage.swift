import BelfryModel

/// Some devices of a list, in its order.
package struct DevicePage: Hashable, Sendable {
    package let devices: [DeviceRow]
    /// Whether there are more behind them.
    package let hasMore: Bool
}

/// A device's row has what it has said of its contact last, up to a megabyte each of two snapshots: a page of rows ends
/// behind a number of bytes (SEC-2).
extension DeviceRepository {
    /// Bytes of what devices have said behind which a page has no more of one table.
    package static let maximumPageBytes = 8 << 20

    /// The first devices of some tables.
    ///
    /// - Parameters:
    ///   - isAscending: the order of the statements, which is that of the devices' numbers.
    ///   - statement: of a table. It is asked for one device more than the page has at most, which tells whether there
    ///     are more.
    func page(
        of tables: [DeviceTable] = DeviceTable.allCases, isAscending: Bool = false, limit: Int,
        _ statement: (_ table: DeviceTable, _ limit: SQLValue) -> SQLFragment
    ) throws -> DevicePage {
        var found: [DeviceRow] = []
        // Of a table whose page was cut nobody knows what lies behind its last device.
        var ends: [Int64] = []
        for table in tables {
            var room = ByteRoom(Self.maximumPageBytes)
            let asked = statement(table, .integer(limit + 1))
            let rows = try connection.query(
                asked.sql, asked.arguments, texts: [DeviceRow.Column.applied.rawValue], in: &room, DeviceRow.init
            )
            if room.isCut, let last = rows.last { ends.append(last.id) }
            found += rows
        }
        found.sort { isAscending ? $0.id < $1.id : $0.id > $1.id }
        let known = found.prefix(while: { row in ends.allSatisfy { isAscending ? row.id <= $0 : row.id >= $0 } })
        return DevicePage(devices: Array(known.prefix(limit)), hasMore: !ends.isEmpty || known.count > limit)
    }

    /// The devices of a contact before a number, the newest first, dormant or not unless tables are named.
    package func page(
        ofContact contact: Int64, in tables: [DeviceTable] = DeviceTable.allCases, before cursor: Int64? = nil,
        limit: Int
    ) throws -> DevicePage {
        try page(of: tables, limit: limit) { table, limit in
            SQLFragment(Self.listOfContactSQL(in: table), [.integer(contact), .integer(cursor ?? .max), limit])
        }
    }

    /// What is to be known of the newest devices of a contact, the newest first: their rows are read page by page.
    package func ofContact<Known>(
        _ contact: Int64, limit: Int, _ known: (DeviceRow) throws -> Known
    ) throws -> [Known] {
        var found: [Known] = []
        var cursor: Int64?
        while found.count < limit {
            let page = try page(ofContact: contact, before: cursor, limit: limit - found.count)
            found += try page.devices.map(known)
            guard page.hasMore, let last = page.devices.last else { break }
            cursor = last.id
        }
        return found
    }
}
