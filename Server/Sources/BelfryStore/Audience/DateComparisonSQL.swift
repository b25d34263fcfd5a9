import BelfryModel

/// A comparison of dates as SQL. Null when the subject is missing, or is none.
struct DateComparisonSQL {
    /// An expression of the subject, in milliseconds since 1970.
    let milliseconds: String
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

    private func single(_ op: String, _ moment: Int64) -> SQLFragment {
        SQLFragment("\(milliseconds) \(op) ?", [value(moment)])
    }

    private func within(_ span: DateSpan) -> SQLFragment {
        guard span.first < span.last else { return single("=", span.first) }
        return SQLFragment("\(milliseconds) BETWEEN ? AND ?", [value(span.first), value(span.last)])
    }

    private func outside(_ span: DateSpan) -> SQLFragment {
        SQLFragment("\(milliseconds) NOT BETWEEN ? AND ?", [value(span.first), value(span.last)])
    }

    /// Moments in one list; days, of which there are few, each by itself.
    private func isIn(_ spans: [DateSpan]) -> SQLFragment {
        let moments = spans.filter { $0.first == $0.last }.map { value($0.first) }
        let days = Set(spans.filter { $0.first < $0.last }).sorted { $0.first < $1.first }
        guard !days.isEmpty else { return .membership(milliseconds, moments) }
        return .any([.membership(milliseconds, moments)] + merged(days).map(within))
    }

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
