import BelfryServerModel
import BelfryServices
import Foundation

/// When messages of a rehearsal would leave, as a chart draws it: hour by hour, or day by day where there are many.
struct RehearsedTimes: Sendable {
    /// Hours that are drawn one by one; more are drawn by day.
    private static let drawnHours = 72

    struct Column: Sendable {
        let name: String
        let from: Date
        /// The first moment that is not counted in it.
        var to: Date
        var count: Int

        /// The people whose messages would leave then.
        var selection: RehearsedSelection {
            var selection = RehearsedSelection(outcome: .accepted)
            (selection.from, selection.to) = (from, to)
            return selection
        }
    }

    let columns: [Column]

    /// Nil for those that would all leave within an hour.
    init?(_ figures: RehearsalFigures, zone: AppZone) {
        guard let first = figures.byHour.first?.from, let last = figures.byHour.last?.from, first < last else {
            return nil
        }
        let hours = Int(last.timeIntervalSince(first) / 3_600) + 1
        columns = hours <= Self.drawnHours ? Self.hours(hours, from: first, figures, zone) : Self.days(figures, zone)
    }

    private static func hours(
        _ count: Int, from first: Date, _ figures: RehearsalFigures, _ zone: AppZone
    ) -> [Column] {
        let counts = Dictionary(figures.byHour.map { ($0.from, $0.count) }, uniquingKeysWith: +)
        return (0..<count).map { index in
            let hour = first.addingTimeInterval(Double(index) * 3_600)
            return Column(
                name: HourWords.short(hour, in: zone), from: hour, to: hour.addingTimeInterval(3_600),
                count: counts[hour] ?? 0
            )
        }
    }

    /// The hours of a day are those that begin on it.
    private static func days(_ figures: RehearsalFigures, _ zone: AppZone) -> [Column] {
        figures.byHour.reduce(into: []) { columns, hour in
            let day = DayWords.short(CalendarDay(hour.from, in: zone.zone))
            let end = hour.from.addingTimeInterval(3_600)
            if columns.last?.name == day {
                columns[columns.count - 1].count += hour.count
                columns[columns.count - 1].to = end
            } else {
                columns.append(Column(name: day, from: hour.from, to: end, count: hour.count))
            }
        }
    }
}
