import BelfryModel
import BelfryServices
import Foundation

/// The progress of a campaign hour by hour, as charts and as a table (CON-7).
struct CampaignHoursModel: Sendable {
    struct Part: Sendable {
        let partTitle: String
        let chart: ColumnChart
    }

    struct Line: Sendable {
        let hourName: String
        let sent: String
        let shown: String
        let opened: String
    }

    let parts: [Part]
    let hourLines: [Line]
    let hasHours: Bool
    let hoursSentence: String

    /// - Parameter hours: nil until the figures of a large ledger have been summed up.
    init(_ hours: CampaignHours?, zone: AppZone) {
        let shown = hours?.hours ?? []
        let last = shown.lastIndex { $0.accepted + $0.displayed + $0.opened > 0 }
        let busy = last.map { Array(shown[...$0]) } ?? []
        hasHours = !busy.isEmpty
        func chart(_ title: String, _ count: (CampaignHour) -> Int, _ what: String) -> Part? {
            guard busy.contains(where: { count($0) > 0 }) else { return nil }
            return Part(
                partTitle: title,
                chart: ColumnChart(busy.map { (HourWords.short($0.begins, in: zone), count($0)) }, of: what)
            )
        }
        parts = [
            chart("Accepted", \.accepted, "messages accepted"), chart("Displayed", \.displayed, "messages displayed"),
            chart("Opened", \.opened, "messages opened"),
        ].compactMap(\.self)
        hourLines = busy.filter { $0.accepted + $0.displayed + $0.opened > 0 }.map { hour in
            Line(
                hourName: zone.text(hour.begins), sent: Figures.count(hour.accepted),
                shown: Figures.count(hour.displayed), opened: Figures.count(hour.opened)
            )
        }
        hoursSentence = Self.sentence(hours, hasHours: hasHours, zone: zone)
    }

    private static func sentence(_ hours: CampaignHours?, hasHours: Bool, zone: AppZone) -> String {
        guard let hours else { return "The ledger is being summed up. The charts follow in a minute or two." }
        guard hasHours else { return "Nothing has happened yet." }
        let left = hours.left > 0 ? " Later hours are not drawn." : ""
        return "Summed up \(zone.text(hours.at)).\(left)"
    }
}

/// Names of hours in charts.
enum HourWords {
    /// `28 Nov 18:00`.
    static func short(_ date: Date, in zone: AppZone) -> String {
        "\(DayWords.short(CalendarDay(date, in: zone.zone))) \(AppZone.clock(zone.local(date)))"
    }
}
