import BelfryModel

/// A comparison of dates as SQL. Null when the subject is missing, or is none.
struct DateComparisonSQL {
    /// An expression of the subject, in milliseconds since 1970.
    let milliseconds: SQLFragment
    let dialect: any Dialect
    /// Makes the argument that it is compared with.
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

    /// Moments in one list; days, of which there are few, each by itself.
    private func isIn(_ spans: [DateSpan]) -> SQLFragment {
        let moments = spans.filter { $0.first == $0.last }.map(\.first)
        let days = Set(spans.filter { $0.first < $0.last }).sorted { $0.first < $1.first }
        let moment = SQLFragment.membership(milliseconds, integers: moments, dialect)
        guard !days.isEmpty else { return moment }
        return .any([moment] + merged(days).map(within))
    }

    /// A query of the ranges that a list stands for, none of which overlaps another; nil for a short list.
    func manyRanges(_ values: [AttributeValue], in context: ConditionContext) -> SQLFragment? {
        let spans = Set(values.compactMap { DateSpan($0, in: context) }).sorted { $0.first < $1.first }
        guard spans.count > Self.few else { return nil }
        let ranges = merged(spans).map { "[\($0.first),\($0.last)]" }.joined(separator: ",")
        return SQLFragment(dialect.ranges, [.text("[\(ranges)]")])
    }

    private static let few = 16

    /// Days that touch one another as one, so that even ten thousand are few.
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
