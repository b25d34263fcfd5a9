import BelfryServices

/// The names of days on pages.
enum DayWords {
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let longMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// `28 Nov`.
    static func short(_ day: CalendarDay) -> String { "\(day.dayOfMonth) \(months[day.month - 1])" }

    /// `Saturday, 28 November`.
    static func long(_ day: CalendarDay) -> String {
        "\(weekdays[day.weekday]), \(day.dayOfMonth) \(longMonths[day.month - 1])"
    }

    /// `November 2026`.
    static func month(_ day: CalendarDay) -> String { "\(longMonths[day.month - 1]) \(day.year)" }

    /// `Sat`.
    static func weekday(_ day: CalendarDay) -> String { String(weekdays[day.weekday].prefix(3)) }
}
