import BelfryModel
import Foundation

/// A month or a week of the Gregorian calendar, in UTC.
package struct CalendarPeriod: Hashable, Sendable {
    package enum Unit: String, Hashable, Sendable {
        case month
        /// From Monday to Sunday.
        case week
    }

    private static let millisecondsPerDay: Int64 = 86_400_000

    package let unit: Unit
    /// Days since 1 January 1970.
    private let firstDay: Int64

    /// The period of a moment.
    ///
    /// - Parameter milliseconds: since 1970.
    package init(_ unit: Unit, of milliseconds: Int64) {
        let time = milliseconds % Self.millisecondsPerDay
        let days = milliseconds / Self.millisecondsPerDay
        self.init(unit, with: time < 0 ? days - 1 : days)
    }

    private init(_ unit: Unit, with day: Int64) {
        self.unit = unit
        switch unit {
        case .month: firstDay = day - CivilDay(daysSince1970: day).day + 1
        case .week:
            // 1 January 1970 was a Thursday.
            let weekday = (day + 3) % 7
            firstDay = day - (weekday < 0 ? weekday + 7 : weekday)
        }
    }

    /// The first day of the period.
    package var first: CivilDay { CivilDay(daysSince1970: firstDay) }

    package var next: CalendarPeriod {
        switch unit {
        // From any first day of a month, 31 days later is in the next month.
        case .month: CalendarPeriod(unit, with: firstDay + 31)
        case .week: CalendarPeriod(unit, with: firstDay + 7)
        }
    }

    /// The period so many periods later.
    package func later(by periods: Int) -> CalendarPeriod {
        (0..<periods).reduce(self) { period, _ in period.next }
    }

    /// The first moment of the period, in milliseconds since 1970.
    package var start: Int64 { firstDay * Self.millisecondsPerDay }

    /// The first moment after the period, in milliseconds since 1970.
    package var end: Int64 { next.start }
}

extension CalendarPeriod: CustomStringConvertible {
    /// `2026-11` for a month; `2026-11-30` for the week that begins on that day.
    package var description: String { String(name.statement.map { $0 == "_" ? "-" : $0 }) }

    /// The period's part of a partition's name: `2026_11`, `2026_11_30`.
    var name: SQLText {
        let day = first
        let month: SQLText = "\(day.year)_\(Self.twoDigits(day.month))"
        return unit == .month ? month : "\(month)_\(Self.twoDigits(day.day))"
    }

    private static func twoDigits(_ number: Int64) -> SQLText {
        let zero: SQLText = number < 10 ? "0" : ""
        return "\(zero)\(number)"
    }
}
