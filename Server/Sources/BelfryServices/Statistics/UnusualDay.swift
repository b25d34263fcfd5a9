import BelfryStore

/// A day that is unlike those before it, and how: for people who look whether all is well (CON-4).
package struct UnusualDay: Hashable, Sendable {
    /// What is compared.
    package enum Measure: String, Hashable, Sendable, CaseIterable {
        case accepted
        case opened
        case rejected
        /// Devices that may get pushes no longer.
        case optedOut
    }

    package let day: CalendarDay
    package let measure: Measure
    package let count: Int
    /// What half of the days before had at least, and half at most.
    package let usual: Int
    /// What nine of ten days before had, from and to.
    package let range: ClosedRange<Int>

    package var isMore: Bool { count > usual }
}

/// Which days are unlike the others. The rule: a day is compared with the 28 days before it. Its distance from their
/// median is unusual when it is more than four times the median distance of those days (taken as at least a quarter of
/// the median), and more than 20; and nine in ten of those days lie on one side of it. Fewer than 14 days with anything
/// on them are too few to compare with. Weeks have their rhythm, so a day that one of the same weekdays among them came
/// near is not unusual.
package enum UnusualDayRule {
    package static let days = 28
    static let fewestDays = 14
    static let distances = 4
    static let leastDistance = 20

    /// - Parameters:
    ///   - values: of some days in a row; the newest is the last. Days that nothing is known of are nil.
    ///   - count: so many of the last days are looked at.
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
        // Fewer problems than usual are none.
        if count < usual, [.rejected, .optedOut].contains(measure) { return nil }
        let margin = sorted.count / 20
        let range = sorted[margin]...sorted[sorted.count - 1 - margin]
        guard !range.contains(count) else { return nil }
        return UnusualDay(day: day, measure: measure, count: count, usual: usual, range: range)
    }

    /// Far above, or, where what is usual is too little for that distance, all but nothing.
    private static func isFar(_ count: Int, from usual: Int, by tolerance: Int) -> Bool {
        if count > usual { return count - usual > tolerance }
        return usual > leastDistance && (usual - count > tolerance || count * 10 < usual)
    }
}
