import BelfryModel
import Foundation

/// A day of the calendar. It has no time zone of its own.
package struct CalendarDay: Hashable, Sendable, Comparable {
    /// Days since 1 January 1970.
    package let number: Int64

    package init(number: Int64) {
        self.number = number
    }

    /// The day of a moment in a time zone.
    package init(_ date: Date, in zone: TimeZone) {
        let seconds = LocalDateTime(date, in: zone).secondsInUTC
        number = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
    }

    /// Parses `2026-12-01`; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let midnight = LocalDateTime(text) else { return nil }
        number = midnight.secondsInUTC / 86_400
    }

    /// The day as `2026-12-01`.
    package var text: String { String(midnight.description.prefix(10)) }

    /// From 0 for Monday to 6 for Sunday.
    package var weekday: Int { Int(((number + 3) % 7 + 7) % 7) }

    /// From 1 to 31.
    package var dayOfMonth: Int { WholeNumber.read(text.suffix(2)) ?? 1 }

    /// From 1 to 12.
    package var month: Int { WholeNumber.read(text.dropFirst(5).prefix(2)) ?? 1 }

    package var year: Int { WholeNumber.read(text.prefix(4)) ?? 1970 }

    /// The Monday of the day's week.
    package var firstOfWeek: CalendarDay { self - weekday }

    package var firstOfMonth: CalendarDay { self - (dayOfMonth - 1) }

    /// When the day begins in a time zone.
    package func start(in zone: TimeZone) -> Date { midnight.date(in: zone) }

    private var midnight: LocalDateTime { LocalDateTime(secondsInUTC: number * 86_400) }

    package static func + (day: CalendarDay, days: Int) -> CalendarDay {
        CalendarDay(number: day.number + Int64(days))
    }

    package static func - (day: CalendarDay, days: Int) -> CalendarDay { day + -days }

    package static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }
}
