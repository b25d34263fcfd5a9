import BelfryModel
import Foundation

/// A month of the Gregorian calendar, in UTC.
package struct CalendarMonth: Hashable, Sendable {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Counted from 1 January 1970.
    private let firstDay: Int64
    package let year: Int64
    /// 1 to 12.
    package let month: Int64

    /// The month of a moment.
    ///
    /// - Parameter milliseconds: since 1970.
    package init(of milliseconds: Int64) {
        let time = milliseconds % Self.millisecondsPerDay
        let days = milliseconds / Self.millisecondsPerDay
        self.init(with: time < 0 ? days - 1 : days)
    }

    private init(with day: Int64) {
        let civil = CivilDay(daysSince1970: day)
        firstDay = day - civil.day + 1
        (year, month) = (civil.year, civil.month)
    }

    package var next: CalendarMonth {
        // From the first day of any month, 31 days lead into the next one.
        CalendarMonth(with: firstDay + 31)
    }

    /// The month that is so many months later.
    package func later(by months: Int) -> CalendarMonth {
        (0..<months).reduce(self) { month, _ in month.next }
    }

    /// Its first moment, in milliseconds since 1970.
    package var start: Int64 { firstDay * Self.millisecondsPerDay }

    /// The first moment after it.
    package var end: Int64 { next.start }
}

extension CalendarMonth: CustomStringConvertible {
    /// `2026-11`.
    package var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
}
