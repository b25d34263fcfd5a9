import BelfryModel
import Foundation

/// One partition of a table.
package struct TablePartition: Hashable, Sendable {
    package let name: String
    /// Whether it takes what no other does.
    package let isRest: Bool
    /// Since when it goes, in milliseconds since 1970; nil: since ever.
    package let start: Int64?
    /// The first moment after it; nil: it has no end.
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
    /// Nil: the table is in one piece.
    package let parts: [TablePartition]?

    package init(table: PartitionedTable, parts: [TablePartition]?) {
        self.table = table
        self.parts = parts
    }

    /// Whether the upkeep of this program looks after them: it divides the table, or finds it divided by a program of the
    /// next version (FLEET-1).
    package var areKept: Bool { parts != nil || table.isDividedHere }

    package var hasRest: Bool { parts?.contains(where: \.isRest) == true }

    /// The periods that are to have a partition by now and have none.
    package func missing(at now: Date) -> [CalendarPeriod] {
        table.wanted(at: now).filter { period in parts?.contains { $0.takes(period) } != true }
    }

    /// The same, but for the last period, which is made within an hour after another one has begun. A table that this
    /// program leaves in one piece lacks none.
    package func overdue(at now: Date) -> [CalendarPeriod] {
        guard areKept else { return [] }
        return missing(at: now).filter { $0 != table.wanted(at: now).last }
    }

    /// Partitions in which all rows are older than a moment, and always will be.
    package func lapsed(before moment: Date) -> [SchemaName] {
        (parts ?? []).compactMap { part in
            guard !part.isRest, let end = part.end, end <= moment.milliseconds else { return nil }
            return SchemaName(part.name)
        }
    }

    /// Rows of before this moment have to go one by one, where those of before another one are too old: what lies with that
    /// one in a partition goes with it, by the end of the period.
    package func removedByRows(before moment: Date) -> Date {
        let period = CalendarPeriod(table.unit, of: moment.milliseconds)
        // What has no beginning, or is the rest, is not gone by then.
        let isDropped = parts?.contains { $0.start != nil && $0.takes(period) } == true
        return isDropped ? Date(milliseconds: period.start) : moment
    }
}

/// What was done to the partitions of a table.
package struct PartitionUpkeep: Hashable, Sendable {
    /// Whether the table was in one piece before.
    package var isDivided = false
    package var made = 0
    package var dropped = 0
    /// Whether somebody's lock was in the way of something, which is tried again the next time.
    package var isHeldUp = false

    package init() {}
}

extension TablePartition {
    /// Of ``Dialect/partitions``.
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
