import BelfryStore

extension SQLConnection {
    /// Gives all rows of a table another number, by which they lie on a cluster: there none changes its shard, so each is
    /// written anew and the former one is removed.
    package func renumber(_ rows: NumberedRows, from former: Int64, to number: Int64) throws {
        let numbers: [SQLValue] = [.integer(number), .integer(former)]
        guard dialect.isDistributed else {
            try execute(rows.change, numbers)
            return
        }
        let (table, column) = (rows.table, rows.column)
        let others = try query(Engine.postgres.columns, [.text(table)]) { $0.text(0) }.filter { $0 != column }
        let list = others.joined(separator: ", ")
        try execute(
            SQLText(
                ofTest: """
                    INSERT INTO \(table) (\(column), \(list))
                    SELECT CAST(? AS BIGINT), \(list) FROM \(table) WHERE \(column) = ?
                    """
            ),
            numbers
        )
        try execute(SQLText(ofTest: "DELETE FROM \(table) WHERE \(column) = ?"), [.integer(former)])
        try fillDirectories()
    }
}

/// What ``SQLConnection/renumber(_:from:to:)`` gives another number.
package enum NumberedRows {
    case devices
    case eventsOfDevice

    fileprivate var table: String {
        switch self {
        case .devices: "devices"
        case .eventsOfDevice: "events"
        }
    }

    fileprivate var column: String {
        switch self {
        case .devices: "id"
        case .eventsOfDevice: "device_id"
        }
    }

    fileprivate var change: SQLText {
        switch self {
        case .devices: "UPDATE devices SET id = ? WHERE id = ?"
        case .eventsOfDevice: "UPDATE events SET device_id = ? WHERE device_id = ?"
        }
    }
}
