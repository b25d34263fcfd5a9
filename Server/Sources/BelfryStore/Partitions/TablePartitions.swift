import BelfryModel
import Foundation

/// One partition of a table.
package struct TablePartition: Hashable, Sendable {
    package let name: String
    /// Whether this is the default partition.
    package let isRest: Bool
    /// The lower bound, in milliseconds since 1970; nil: none.
    package let start: Int64?
    /// The upper bound, the first moment after the partition; nil: none.
    package let end: Int64?

    package init(name: String, isRest: Bool = false, start: Int64? = nil, end: Int64? = nil) {
        self.name = name
        self.isRest = isRest
        self.start = start
        self.end = end
    }

    func takes(_ period: CalendarPeriod) -> Bool {
        !isRest && (start ?? .min) <= period.start && period.end <= (end ?? .max)
    }
}

/// The partitions of a table, as its database lists them.
package struct TablePartitions: Hashable, Sendable {
    package let table: PartitionedTable
    /// Nil: the table is undivided.
    package let parts: [TablePartition]?

    package init(table: PartitionedTable, parts: [TablePartition]?) {
        self.table = table
        self.parts = parts
    }

    /// Whether this program maintains the partitions: it divides the table, or a program of the next version has
    /// divided it (FLEET-1).
    package var areKept: Bool { parts != nil || table.isDividedHere }

    package var hasRest: Bool { parts?.contains(where: \.isRest) == true }

    /// The periods that must have a partition now and do not.
    package func missing(at now: Date) -> [CalendarPeriod] {
        table.wanted(at: now).filter { period in parts?.contains { $0.takes(period) } != true }
    }

    /// The missing periods except the last one, whose partition is made within an hour after a new period has begun.
    /// Empty for a table that this program leaves undivided.
    package func overdue(at now: Date) -> [CalendarPeriod] {
        guard areKept else { return [] }
        return missing(at: now).filter { $0 != table.wanted(at: now).last }
    }

    /// Partitions whose rows are all older than a moment, and always will be.
    package func lapsed(before moment: Date) -> [SchemaName] {
        (parts ?? []).compactMap { part in
            guard !part.isRest, let end = part.end, end <= moment.milliseconds else { return nil }
            return SchemaName(part.name)
        }
    }

    /// The moment before which rows must be deleted one by one, if rows before `moment` are too old. Other old rows are
    /// in the partition of `moment`, which is dropped as a whole by the end of its period.
    package func removedByRows(before moment: Date) -> Date {
        let period = CalendarPeriod(table.unit, of: moment.milliseconds)
        // A partition without a lower bound, or the default partition, is not dropped by then.
        let isDropped = parts?.contains { $0.start != nil && $0.takes(period) } == true
        return isDropped ? Date(milliseconds: period.start) : moment
    }
}

/// The result of one upkeep of a table's partitions.
package struct PartitionUpkeep: Hashable, Sendable {
    /// Whether the table was undivided before.
    package var isDivided = false
    package var made = 0
    package var dropped = 0
    /// Whether another transaction's lock prevented a step, which is tried again the next time.
    package var isHeldUp = false

    package init() {}
}

extension TablePartition {
    /// The columns of ``Dialect/partitions``.
    fileprivate enum Place: Int, ResultPlace {
        case name, isRest, start, end
    }
}

extension SQLConnection {
    /// Nil where the engine has no partitions.
    package func partitions(of table: PartitionedTable) throws -> TablePartitions? {
        guard let sql = dialect.partitions else { return nil }
        let parts = try query(sql, [.text(table.name.statement)]) { row -> TablePartition? in
            let row = ResultRow<TablePartition.Place>(row)
            return row.optionalText(.name).map { name in
                TablePartition(
                    name: name, isRest: row.flag(.isRest), start: row.optionalInteger(.start),
                    end: row.optionalInteger(.end)
                )
            }
        }
        return TablePartitions(table: table, parts: parts.isEmpty ? nil : parts.compactMap { $0 })
    }
}
