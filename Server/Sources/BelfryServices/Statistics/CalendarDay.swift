import BelfryModel
import Foundation

/// A day of the calendar, in the time zone of whoever speaks of it.
package struct CalendarDay: Hashable, Sendable, Comparable {
    /// Counted from 1 January 1970.
    package let number: Int64

    package init(number: Int64) {
        self.number = number
    }

    /// The day that the clocks of a zone show at a moment.
    package init(_ date: Date, in zone: TimeZone) {
        let seconds = LocalDateTime(date, in: zone).secondsInUTC
        number = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
    }

    /// Reads `2026-12-01`; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let midnight = LocalDateTime(text) else { return nil }
        number = midnight.secondsInUTC / 86_400
    }

    /// `2026-12-01`.
    package var text: String { String(midnight.description.prefix(10)) }

    /// 0 for Monday to 6 for Sunday.
    package var weekday: Int { Int(((number + 3) % 7 + 7) % 7) }

    /// 1 to 31.
    package var dayOfMonth: Int { WholeNumber.read(text.suffix(2)) ?? 1 }

    /// 1 to 12.
    package var month: Int { WholeNumber.read(text.dropFirst(5).prefix(2)) ?? 1 }

    package var year: Int { WholeNumber.read(text.prefix(4)) ?? 1970 }

    /// The Monday of its week.
    package var firstOfWeek: CalendarDay { self + -weekday }

    package var firstOfMonth: CalendarDay { self + (1 - dayOfMonth) }

    /// When it begins in a zone.
    package func start(in zone: TimeZone) -> Date { midnight.date(in: zone) }

    private var midnight: LocalDateTime { LocalDateTime(secondsInUTC: number * 86_400) }

    package static func + (day: CalendarDay, days: Int) -> CalendarDay {
        CalendarDay(number: day.number + Int64(days))
    }

    package static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }
}
