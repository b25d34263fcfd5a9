import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The calendar page of a week or a month: a grid, or a list on a narrow screen.
struct CalendarModel: Sendable {
    /// A campaign on a day.
    struct Item: Sendable {
        let itemName: String
        let itemAddress: String
        let itemTime: String
        let itemKind: String
        let itemChip: StatusChip
        /// Sentences on local times and quiet hours; nil when everybody gets the campaign at the same moment.
        let itemZones: String?
    }

    struct Day: Sendable {
        let dayName: String
        let dayNumber: String
        let isToday: Bool
        /// Whether the day belongs to the month before or after.
        let isOther: Bool
        let isFree: Bool
        let items: [Item]
    }

    let heading: String
    let zoneName: String
    let isWeek: Bool
    let weekAddress: String
    let monthAddress: String
    let todayAddress: String
    let beforeAddress: String
    let afterAddress: String
    let days: [Day]
    let isNothingPlanned: Bool
    let mayCompose: Bool
    let composeAddress: String
    /// In-app messages that are shown during these days.
    let lasting: [Item]
    let hasLasting: Bool
    let pressureAddress: String
    let viewName: String
    let fromDay: String
    let formToken: String
    let pressure: PressureModel?

    init(
        _ entries: [CalendarEntry], _ span: CalendarSpan, today: CalendarDay, zone: AppZone, base: String,
        may rights: Set<UserRight>, formToken: String, pressure: PressureModel?
    ) {
        let page = "\(base)/calendar"
        func address(_ span: CalendarSpan) -> String { "\(page)?\(span.query)" }
        heading =
            span.view == .week ? "Week of \(DayWords.long(span.first)) \(span.first.year)" : DayWords.month(span.day)
        zoneName = zone.name
        isWeek = span.view == .week
        let isPresent = span.view == .month && span.day.firstOfMonth == today.firstOfMonth
        weekAddress = address(CalendarSpan(view: .week, day: isPresent ? today : span.day))
        monthAddress = address(CalendarSpan(view: .month, day: span.day))
        todayAddress = address(CalendarSpan(view: span.view, day: today))
        beforeAddress = address(span.before)
        afterAddress = address(span.after)
        let timed = entries.filter { !$0.isLasting }
        let byDay = Dictionary(grouping: timed) { CalendarWords.day(of: $0, in: zone) }
        days = (0..<span.days).map { offset in
            let day = span.first + offset
            let items = (byDay[day] ?? []).map { Item($0, zone: zone, base: base) }
            return Day(
                dayName: DayWords.long(day), dayNumber: String(day.dayOfMonth), isToday: day == today,
                isOther: !span.shows(day), isFree: items.isEmpty, items: items
            )
        }
        isNothingPlanned = days.allSatisfy(\.isFree)
        mayCompose = rights.contains(.compose)
        composeAddress = "\(base)/campaigns/new"
        lasting = entries.filter(\.isLasting).map { Item($0, zone: zone, base: base) }
        hasLasting = !lasting.isEmpty
        pressureAddress = "\(page)/pressure"
        viewName = span.view.rawValue
        fromDay = span.day.text
        self.formToken = formToken
        self.pressure = pressure
    }
}

extension CalendarModel.Item {
    init(_ entry: CalendarEntry, zone: AppZone, base: String) {
        itemName = entry.campaign.name
        itemAddress = "\(base)/campaigns/\(entry.campaign.id)"
        itemTime = CalendarWords.time(of: entry, in: zone)
        itemKind = entry.campaign.kind.words
        itemChip = StatusChip(entry.campaign.status)
        itemZones = CalendarWords.zones(of: entry, in: zone)
    }
}

/// Words of the calendar for when a campaign is sent.
enum CalendarWords {
    /// The day on which the calendar shows a campaign. One that is sent by each person's own clock has the same day for
    /// all.
    static func day(of entry: CalendarEntry, in zone: AppZone) -> CalendarDay {
        if let local = entry.localAt { return CalendarDay(date(local), in: .gmt) }
        return CalendarDay(entry.begins, in: zone.zone)
    }

    static func time(of entry: CalendarEntry, in zone: AppZone) -> String {
        if entry.isLasting {
            let end = entry.ends.map { "to \(zone.text($0))" } ?? "without an end"
            return "From \(zone.text(entry.begins)) \(end)"
        }
        return AppZone.clock(entry.localAt ?? LocalDateTime(entry.begins, in: zone.zone))
    }

    /// Sentences on which zones get the campaign first and last, in the app's time, and on its quiet hours; nil when
    /// everybody gets it at the same moment.
    static func zones(of entry: CalendarEntry, in zone: AppZone) -> String? {
        var sentences: [String] = []
        if entry.localAt != nil, let ends = entry.ends {
            let (first, last) = (LocalDateTime(entry.begins, in: zone.zone), LocalDateTime(ends, in: zone.zone))
            sentences.append(
                "By each person's clock: the first, in UTC+14, from \(AppZone.text(first)); the last, in UTC-12, at \(AppZone.text(last))."
            )
        }
        if let quiet = entry.quietHours {
            let then = quiet.then == .delay ? "waits" : "is not sent"
            sentences.append("Between \(quiet.from) and \(quiet.to) by a person's clock it \(then).")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private static func date(_ time: LocalDateTime) -> Date {
        Date(timeIntervalSince1970: TimeInterval(time.secondsInUTC))
    }
}
