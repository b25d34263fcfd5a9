import BelfryModel

/// Some devices of a list, in its order.
package struct DevicePage: Hashable, Sendable {
    package let devices: [DeviceRow]
    /// Whether there are more devices after these.
    package let hasMore: Bool
}

/// Pages of device rows. A row has the device's last two snapshots, up to a megabyte each, so a page ends after a
/// number of bytes (SEC-2).
extension DeviceRepository {
    /// The bytes of snapshots after which a page has no more rows of one table.
    package static let maximumPageBytes = 8 << 20

    /// The first devices of some tables, merged into one page.
    ///
    /// - Parameters:
    ///   - isAscending: whether the statements order by ascending device number, or else descending.
    ///   - statement: makes a table's statement. It asks for one device more than the page's limit, which tells whether
    ///     there are more.
    func page(
        of tables: [DeviceTable] = DeviceTable.allCases, isAscending: Bool = false, limit: Int,
        _ statement: (_ table: DeviceTable, _ limit: SQLValue) -> SQLFragment
    ) throws -> DevicePage {
        var found: [DeviceRow] = []
        // If a table's page was cut, nothing is known after its last device.
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

    /// The devices of a contact below a number, newest first, dormant ones included unless tables are named.
    package func page(
        ofContact contact: Int64, in tables: [DeviceTable] = DeviceTable.allCases, before cursor: Int64? = nil,
        limit: Int
    ) throws -> DevicePage {
        try page(of: tables, limit: limit) { table, limit in
            SQLFragment(Self.listOfContactSQL(in: table), [.integer(contact), .integer(cursor ?? .max), limit])
        }
    }

    /// Facts about the newest devices of a contact, newest first. The rows are read page by page.
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
