import BelfryStore

/// A day that differs from the days before it, and how. It draws the attention of people who check that all is well
/// (CON-4).
package struct UnusualDay: Hashable, Sendable {
    /// The figure that is compared.
    package enum Measure: String, Hashable, Sendable, CaseIterable {
        case accepted
        case opened
        case rejected
        /// The number by which devices that may get pushes decreased.
        case optedOut
    }

    package let day: CalendarDay
    package let measure: Measure
    package let count: Int
    /// The median of the days before.
    package let usual: Int
    /// The range of the middle nine tenths of the days before.
    package let range: ClosedRange<Int>

    package var isMore: Bool { count > usual }
}

/// Finds unusual days. A day is compared with the 28 days before it. It is unusual if its distance from their median is
/// more than four times the median distance of those days (taken as at least a quarter of the median), and more than
/// 20, and if nine in ten of those days are on one side of it. Fewer than 14 days with a figure above 0 are too few to
/// compare with. Figures follow a weekly rhythm, so a day is not unusual if one of the same weekdays among them was
/// near it.
package enum UnusualDayRule {
    package static let days = 28
    static let fewestDays = 14
    static let distances = 4
    static let leastDistance = 20

    /// - Parameters:
    ///   - values: the figures of consecutive days, the newest last; nil for a day without figures.
    ///   - count: how many of the last days are checked.
    package static func days(
        _ values: [(day: CalendarDay, count: Int?)], of measure: UnusualDay.Measure, last count: Int
    ) -> [UnusualDay] {
        values.indices.suffix(count).compactMap { index in
            guard let value = values[index].count else { return nil }
            let before = values[max(0, index - Self.days)..<index]
            return unusual(values[index].day, value, after: Array(before), measure)
        }
    }

    private static func unusual(
        _ day: CalendarDay, _ count: Int, after before: [(day: CalendarDay, count: Int?)],
        _ measure: UnusualDay.Measure
    ) -> UnusualDay? {
        let known = before.compactMap(\.count)
        guard known.count(where: { $0 > 0 }) >= fewestDays else { return nil }
        let sorted = known.sorted()
        let usual = sorted[sorted.count / 2]
        let spread = known.map { abs($0 - usual) }.sorted()[known.count / 2]
        let tolerance = max(distances * max(spread, usual / 4), leastDistance)
        guard isFar(count, from: usual, by: tolerance) else { return nil }
        let sameWeekday = before.filter { $0.day.weekday == day.weekday }.compactMap(\.count)
        guard sameWeekday.allSatisfy({ isFar(count, from: $0, by: tolerance / 2) }) else { return nil }
        // Fewer problems than usual are not reported.
        if count < usual, [.rejected, .optedOut].contains(measure) { return nil }
        let margin = sorted.count / 20
        let range = sorted[margin]...sorted[sorted.count - 1 - margin]
        guard !range.contains(count) else { return nil }
        return UnusualDay(day: day, measure: measure, count: count, usual: usual, range: range)
    }

    /// Whether a figure is far above the usual one, or far below it. If the usual figure is too small for that
    /// distance, far below means less than a tenth of it.
    private static func isFar(_ count: Int, from usual: Int, by tolerance: Int) -> Bool {
        if count > usual { return count - usual > tolerance }
        return usual > leastDistance && (usual - count > tolerance || count * 10 < usual)
    }
}
