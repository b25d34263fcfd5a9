import BelfryModel
import Foundation

/// A table whose rows are in partitions by a period of the calendar, where the engine has partitions (FLEET-3).
package struct PartitionedTable: Hashable, Sendable {
    package static let auditLog = PartitionedTable(
        name: "audit_log", key: ["id"], isNumbered: true, moment: "at", unit: .month, ahead: 3, mostAhead: 12,
        firstSchema: nil
    )
    /// By when the server received them: a device's clock may be wrong, and retention counts from then as well (EVT-7). A
    /// program of version 27 names the key of the whole table in `ON CONFLICT`, which a table in partitions does not have,
    /// so it could store no event; none starts on version 29 of the schema, which has turned their division on.
    package static let events = PartitionedTable(
        name: "events", key: ["device_id", "event_id"], isNumbered: false, moment: "received_at", unit: .week, ahead: 8,
        mostAhead: 52, firstSchema: 29
    )
    package static let all = [auditLog, events]

    package let name: SQLText
    /// The columns of its key, which is one of each partition.
    package let key: [SQLText]
    /// Whether the engine numbers the only column of the key by itself.
    package let isNumbered: Bool
    /// The column that says in which partition a row is, in milliseconds since 1970.
    package let moment: SQLText
    /// What a partition holds.
    package let unit: CalendarPeriod.Unit
    /// So many periods behind the one under way have their partition before they begin.
    package let ahead: Int
    /// Rows of a time further ahead than so many periods keep a table in one piece: its first partition, which takes all
    /// that is there, would take as many.
    package let mostAhead: Int
    /// A program divides the table from this version of the schema on, since no program that needs it in one piece runs
    /// beside it any more; nil: none ever needed it. A program of before keeps one that is divided: one of the next
    /// version may run beside it, or have run before it (FLEET-1).
    package let firstSchema: Int?

    package init(
        name: SQLText, key: [SQLText], isNumbered: Bool, moment: SQLText, unit: CalendarPeriod.Unit, ahead: Int,
        mostAhead: Int, firstSchema: Int?
    ) {
        (self.name, self.key, self.isNumbered, self.moment) = (name, key, isNumbered, moment)
        (self.unit, self.ahead, self.mostAhead, self.firstSchema) = (unit, ahead, mostAhead, firstSchema)
    }

    /// Whether the upkeep of this program divides it.
    var isDividedHere: Bool { (firstSchema ?? 0) <= Migration.newest }

    package var keyList: SQLText { key.joined(by: ", ") }
    /// The column that the engine numbers by itself.
    package var number: SQLText? { isNumbered ? key.first : nil }

    /// The partition that takes what is there when the table is divided.
    package var first: SQLText { "\(name)_first" }
    /// The partition of rows for whose time there is no other: of a clock that has jumped.
    package var rest: SQLText { "\(name)_rest" }

    /// The partition of a period: `audit_log_2026_11`.
    package func partition(of period: CalendarPeriod) -> SQLText { "\(name)_\(period.name)" }

    /// The periods that are to have a partition, the one under way first.
    func wanted(at now: Date) -> [CalendarPeriod] {
        let period = CalendarPeriod(unit, of: now.milliseconds)
        return (0...ahead).map { period.later(by: $0) }
    }

    /// The moment until which the first partition goes, when the table is divided: behind all that is wanted, and all
    /// that is there. Nil when that is too far ahead.
    ///
    /// - Parameter newest: the latest time of its rows; nil when there is none.
    package func end(ofFirstWith newest: Int64?, at now: Date) -> Int64? {
        let period = CalendarPeriod(unit, of: now.milliseconds)
        let end = period.later(by: ahead).end
        guard let newest, newest >= end else { return end }
        guard newest < period.later(by: mostAhead).start else { return nil }
        return CalendarPeriod(unit, of: newest).end
    }
}
