import BelfryModel

/// A comparison of dates as SQL. Null if the subject is missing or not a date.
struct DateComparisonSQL {
    /// An expression for the subject, in milliseconds since 1970.
    let milliseconds: SQLFragment
    let dialect: any Dialect
    /// Makes the argument with which the subject is compared.
    let value: (Int64) -> SQLValue

    func compile(_ comparison: Comparison, in context: ConditionContext) -> SQLFragment {
        func compare(_ other: AttributeValue, _ sql: (DateSpan) -> SQLFragment) -> SQLFragment {
            DateSpan(other, in: context).map(sql) ?? .nobody
        }
        switch comparison {
        case .equal(let other): return compare(other, within)
        case .notEqual(let other): return compare(other) { outside($0) }
        case .less(let other): return compare(other) { single("<", $0.first) }
        case .lessOrEqual(let other): return compare(other) { single("<=", $0.last) }
        case .greater(let other): return compare(other) { single(">", $0.last) }
        case .greaterOrEqual(let other): return compare(other) { single(">=", $0.first) }
        case .isIn(let others): return isIn(others.compactMap { DateSpan($0, in: context) })
        case .contains, .startsWith, .exists: return .nobody
        }
    }

    private func single(_ op: SQLText, _ moment: Int64) -> SQLFragment {
        "\(milliseconds) \(op) \(bind: value(moment))"
    }

    private func within(_ span: DateSpan) -> SQLFragment {
        guard span.first < span.last else { return single("=", span.first) }
        return "\(milliseconds) BETWEEN \(bind: value(span.first)) AND \(bind: value(span.last))"
    }

    private func outside(_ span: DateSpan) -> SQLFragment {
        "\(milliseconds) NOT BETWEEN \(bind: value(span.first)) AND \(bind: value(span.last))"
    }

    /// Compares moments as one list, and days one by one, unless there are very many.
    private func isIn(_ spans: [DateSpan]) -> SQLFragment {
        let moments = spans.filter { $0.first == $0.last }.map(\.first)
        let days = Set(spans.filter { $0.first < $0.last }).sorted { $0.first < $1.first }
        let moment = SQLFragment.membership(milliseconds, integers: moments, dialect)
        guard !days.isEmpty else { return moment }
        let ranges = merged(days)
        guard ranges.count > Self.many else { return .any([moment] + ranges.map(within)) }
        return .any([moment, within(ranges)])
    }

    /// Ranges as one argument. If they are written in the statement, SQLite compares each range with every other; and
    /// while it prepares a statement it cannot be interrupted: 16 s for ten thousand ranges (SEC-8).
    private func within(_ ranges: [DateSpan]) -> SQLFragment {
        """
        CASE WHEN \(milliseconds) IS NULL THEN NULL ELSE EXISTS (SELECT 1 FROM (\(query(of: ranges))) r
            WHERE \(milliseconds) BETWEEN r.low AND r.high) END
        """
    }

    /// A query of the ranges of a list, which do not overlap; nil for a short list.
    func manyRanges(_ values: [AttributeValue], in context: ConditionContext) -> SQLFragment? {
        let spans = Set(values.compactMap { DateSpan($0, in: context) }).sorted { $0.first < $1.first }
        guard spans.count > Self.few else { return nil }
        return query(of: merged(spans))
    }

    private func query(of ranges: [DateSpan]) -> SQLFragment {
        let ranges = ranges.map { "[\($0.first),\($0.last)]" }.joined(separator: ",")
        return SQLFragment(dialect.ranges, [.text("[\(ranges)]")])
    }

    private static let few = 16
    private static let many = 500

    /// Joins adjacent days into ranges, so that even ten thousand days are few ranges.
    private func merged(_ days: [DateSpan]) -> [DateSpan] {
        days.reduce(into: []) { merged, day in
            if let last = merged.last, day.first <= last.last + 1 {
                merged[merged.count - 1] = DateSpan(first: last.first, last: max(last.last, day.last))
            } else {
                merged.append(day)
            }
        }
    }
}
