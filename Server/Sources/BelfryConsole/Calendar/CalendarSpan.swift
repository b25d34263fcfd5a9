import BelfryModel
import BelfryServices

/// The days that a calendar page shows.
struct CalendarSpan: Hashable, Sendable {
    enum View: String, Sendable {
        case week
        case month
    }

    let view: View
    /// A day within the week or month that is shown.
    let day: CalendarDay

    init(view: View, day: CalendarDay) {
        self.view = view
        self.day = day
    }

    /// A field that is missing or wrong means this week. Years far from the present are not shown: a calendar has
    /// little use for them.
    init(_ fields: FormFields, today: CalendarDay) {
        view = View(rawValue: fields["view"]) ?? .week
        let asked = CalendarDay(fields["from"])
        day = asked.flatMap { abs($0.number - today.number) <= 36_525 ? $0 : nil } ?? today
    }

    /// The first day of the grid, always a Monday.
    var first: CalendarDay { view == .week ? day.firstOfWeek : day.firstOfMonth.firstOfWeek }

    /// The number of days in the grid, always whole weeks.
    var days: Int {
        guard view == .month else { return 7 }
        let last = nextMonth - 1
        return Int(last.firstOfWeek.number - first.number) + 7
    }

    /// The week or month before.
    var before: CalendarSpan {
        CalendarSpan(view: view, day: view == .week ? first - 7 : (day.firstOfMonth - 1).firstOfMonth)
    }

    /// The week or month after.
    var after: CalendarSpan {
        CalendarSpan(view: view, day: view == .week ? first + 7 : nextMonth)
    }

    private var nextMonth: CalendarDay { (day.firstOfMonth + 31).firstOfMonth }

    /// Whether a day of the grid is in the shown week or month. The grid of a month also has days of its neighbors.
    func shows(_ other: CalendarDay) -> Bool { view == .week || other.month == day.month }

    /// The query of the calendar page that shows these days.
    var query: String { "view=\(view.rawValue)&from=\(day.text)" }
}
