import BelfryModel
import BelfryServices

/// Which days are shown.
struct CalendarSpan: Hashable, Sendable {
    enum View: String, Sendable {
        case week
        case month
    }

    let view: View
    /// A day of the week or of the month.
    let day: CalendarDay

    init(view: View, day: CalendarDay) {
        self.view = view
        self.day = day
    }

    /// What no field says is this week. Years that calendars have little use for are not shown.
    init(_ fields: FormFields, today: CalendarDay) {
        view = View(rawValue: fields["view"]) ?? .week
        let asked = CalendarDay(fields["from"])
        day = asked.flatMap { abs($0.number - today.number) <= 36_525 ? $0 : nil } ?? today
    }

    /// A Monday.
    var first: CalendarDay { view == .week ? day.firstOfWeek : day.firstOfMonth.firstOfWeek }

    /// Whole weeks.
    var days: Int {
        guard view == .month else { return 7 }
        let last = nextMonth + -1
        return Int(last.firstOfWeek.number - first.number) + 7
    }

    var before: CalendarSpan {
        CalendarSpan(view: view, day: view == .week ? first + -7 : (day.firstOfMonth + -1).firstOfMonth)
    }

    var after: CalendarSpan {
        CalendarSpan(view: view, day: view == .week ? first + 7 : nextMonth)
    }

    private var nextMonth: CalendarDay { (day.firstOfMonth + 31).firstOfMonth }

    func shows(_ other: CalendarDay) -> Bool { view == .week || other.month == day.month }

    /// As an address asks for it.
    var query: String { "view=\(view.rawValue)&from=\(day.text)" }
}
