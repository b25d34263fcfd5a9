import BelfryModel
import Foundation

/// A table that is partitioned by a calendar period, if the engine has partitions (FLEET-3).
package struct PartitionedTable: Hashable, Sendable {
    package static let auditLog = PartitionedTable(
        name: "audit_log", key: ["id"], isNumbered: true, moment: "at", unit: .month, ahead: 3, mostAhead: 12,
        firstSchema: nil
    )
    /// Events are partitioned by the time at which the server received them: a device's clock may be wrong, and
    /// retention counts from then as well (EVT-7). In `ON CONFLICT`, a program of version 27 names the key of the whole
    /// table, which a partitioned table does not have, so it could not store events. No such program starts on schema
    /// version 29, from which on the table is divided.
    package static let events = PartitionedTable(
        name: "events", key: ["device_id", "event_id"], isNumbered: false, moment: "received_at", unit: .week, ahead: 8,
        mostAhead: 52, firstSchema: 29
    )
    package static let all = [auditLog, events]

    package let name: SQLText
    /// The columns of the key, which is unique in each partition.
    package let key: [SQLText]
    /// Whether the engine generates the only column of the key.
    package let isNumbered: Bool
    /// The column that decides to which partition a row belongs, in milliseconds since 1970.
    package let moment: SQLText
    /// The length of a partition's period.
    package let unit: CalendarPeriod.Unit
    /// How many periods after the current one have their partition in advance.
    package let ahead: Int
    /// If the table has rows that lie further ahead than so many periods, it stays undivided: its first partition,
    /// which contains all existing rows, would span as many periods.
    package let mostAhead: Int
    /// The schema version from which on a program divides the table, since no program that needs the undivided table
    /// can run beside it any more; nil: none ever needed it. An older program leaves a divided table divided: a program
    /// of the next version may run beside it, or may have run before it (FLEET-1).
    package let firstSchema: Int?

    package init(
        name: SQLText, key: [SQLText], isNumbered: Bool, moment: SQLText, unit: CalendarPeriod.Unit, ahead: Int,
        mostAhead: Int, firstSchema: Int?
    ) {
        (self.name, self.key, self.isNumbered, self.moment) = (name, key, isNumbered, moment)
        (self.unit, self.ahead, self.mostAhead, self.firstSchema) = (unit, ahead, mostAhead, firstSchema)
    }

    /// Whether this program divides the table.
    var isDividedHere: Bool { (firstSchema ?? 0) <= Migration.newest }

    package var keyList: SQLText { key.joined(by: ", ") }
    /// The column whose numbers the engine generates.
    package var number: SQLText? { isNumbered ? key.first : nil }

    /// The partition with the rows that existed when the table was divided.
    package var first: SQLText { "\(name)_first" }
    /// The default partition, for rows whose time has no other partition because a clock has jumped.
    package var rest: SQLText { "\(name)_rest" }

    /// The partition of a period: `audit_log_2026_11`.
    package func partition(of period: CalendarPeriod) -> SQLText { "\(name)_\(period.name)" }

    /// The periods that must have a partition, beginning with the current one.
    func wanted(at now: Date) -> [CalendarPeriod] {
        let period = CalendarPeriod(unit, of: now.milliseconds)
        return (0...ahead).map { period.later(by: $0) }
    }

    /// The upper bound of the first partition when the table is divided: after all wanted periods and all existing
    /// rows. Nil if that is too far ahead.
    ///
    /// - Parameter newest: the latest time of a row; nil when there is none.
    package func end(ofFirstWith newest: Int64?, at now: Date) -> Int64? {
        let period = CalendarPeriod(unit, of: now.milliseconds)
        let end = period.later(by: ahead).end
        guard let newest, newest >= end else { return end }
        guard newest < period.later(by: mostAhead).start else { return nil }
        return CalendarPeriod(unit, of: newest).end
    }
}
