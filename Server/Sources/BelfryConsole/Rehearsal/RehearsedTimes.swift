import BelfryServerModel
import BelfryServices
import Foundation

/// The times at which a rehearsal's messages would leave, for a chart: by hour, or by day if there are many hours.
struct RehearsedTimes: Sendable {
    /// The largest number of hours that are drawn by hour.
    private static let drawnHours = 72

    struct Column: Sendable {
        let name: String
        let from: Date
        /// The end of the column's time, which is not part of it.
        var to: Date
        var count: Int

        /// The devices whose messages would leave in this time.
        var selection: RehearsedSelection {
            var selection = RehearsedSelection(outcome: .accepted)
            (selection.from, selection.to) = (from, to)
            return selection
        }
    }

    let columns: [Column]

    /// Returns nil where all messages would leave within an hour.
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

    /// Sums up the hours by day; an hour belongs to the day on which it begins.
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
