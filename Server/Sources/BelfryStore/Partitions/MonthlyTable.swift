import BelfryModel
import Foundation

/// A table whose rows are in partitions by month, where the engine has partitions (FLEET-3).
package struct MonthlyTable: Hashable, Sendable {
    /// So many months behind the one under way have their partition before they begin.
    package static let monthsAhead = 3
    /// Rows of a time further ahead than so many months keep a table in one piece: its first partition, which takes all
    /// that is there, would take as many months.
    package static let mostMonthsAhead = 12

    package static let auditLog = MonthlyTable(name: "audit_log", number: "id", moment: "at")
    package static let all = [auditLog]

    package let name: SQLText
    /// The column of its key, which the engine numbers by itself.
    package let number: SQLText
    /// The column that says in which partition a row is, in milliseconds since 1970.
    package let moment: SQLText

    /// The partition that takes what is there when the table is divided.
    package var first: SQLText { "\(name)_first" }
    /// The partition of rows for whose time there is no other: of a clock that has jumped.
    package var rest: SQLText { "\(name)_rest" }

    /// The partition of a month: `audit_log_2026_11`.
    package func partition(of month: CalendarMonth) -> SQLText {
        let zero: SQLText = month.month < 10 ? "0" : ""
        return "\(name)_\(month.year)_\(zero)\(month.month)"
    }

    /// The months that are to have a partition, the one under way first.
    func wanted(at now: Date) -> [CalendarMonth] {
        let month = CalendarMonth(of: now.milliseconds)
        return (0...Self.monthsAhead).map { month.later(by: $0) }
    }

    /// The moment until which the first partition goes, when the table is divided: behind all that is wanted, and all
    /// that is there. Nil when that is too far ahead.
    ///
    /// - Parameter newest: the latest time of its rows; nil when there is none.
    package func end(ofFirstWith newest: Int64?, at now: Date) -> Int64? {
        let month = CalendarMonth(of: now.milliseconds)
        let end = month.later(by: Self.monthsAhead).end
        guard let newest, newest >= end else { return end }
        guard newest < month.later(by: Self.mostMonthsAhead).start else { return nil }
        return CalendarMonth(of: newest).end
    }
}
