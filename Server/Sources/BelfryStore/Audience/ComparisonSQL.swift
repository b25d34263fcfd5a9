import BelfryModel

/// A comparison as SQL: of numbers when both sides are or read as numbers, else of texts, by code points. Null when the
/// subject is missing.
struct ComparisonSQL {
    /// Expressions of the subject's text and of the number that it is or reads as, null when it has none.
    let text: SQLFragment
    let number: SQLFragment
    let dialect: any Dialect

    func compile(_ comparison: Comparison) -> SQLFragment {
        switch comparison {
        case .equal(let value): compare("=", value)
        case .notEqual(let value): compare("<>", value)
        case .less(let value): compare("<", value)
        case .lessOrEqual(let value): compare("<=", value)
        case .greater(let value): compare(">", value)
        case .greaterOrEqual(let value): compare(">=", value)
        case .isIn(let values): isIn(values)
        case .contains(""): exists(true)
        case .contains(let part): "\(dialect.place(of: part, in: text)) > 0"
        case .startsWith(let part):
            "substr(\(text), 1, \(part.unicodeScalars.count)) = \(bind: .text(part))"
        case .exists(let flag): exists(flag)
        }
    }

    private func compare(_ op: SQLText, _ value: AttributeValue) -> SQLFragment {
        guard let number = value.numberRead else {
            return "\(text) \(op) \(bind: .text(value.textRead))"
        }
        // A subject that is no number makes the first null, and the texts are compared.
        return """
            coalesce(\(self.number) \(op) \(bind: .real(number)), \(text) \(op) \(bind: .text(value.textRead)))
            """
    }

    /// As `==` with one of the values; one list, for a chain of ten thousand comparisons is more than engines take.
    func isIn(_ values: [AttributeValue]) -> SQLFragment {
        let texts = SQLFragment.membership(text, texts: values.map(\.textRead), dialect)
        let numbers = values.compactMap(\.numberRead)
        guard !numbers.isEmpty else { return texts }
        return .joined([texts, .membership(number, numbers: numbers, dialect)], by: "OR")
    }

    private func exists(_ flag: Bool) -> SQLFragment {
        flag ? "(\(text)) IS NOT NULL" : "(\(text)) IS NULL"
    }
}

extension ComparisonSQL {
    /// The same of an attribute of an event, whose dates are texts.
    func compile(ofEvent comparison: Comparison) -> SQLFragment {
        switch comparison {
        case .equal(let value): isIn(EventDateText.equals(value))
        case .notEqual(let value):
            .joined([exists(true), isIn(EventDateText.equals(value)).negated], by: "AND")
        case .less(let value): compare("<", EventDateText.ordered(value))
        case .lessOrEqual(let value): compare("<=", EventDateText.ordered(value))
        case .greater(let value): compare(">", EventDateText.ordered(value))
        case .greaterOrEqual(let value): compare(">=", EventDateText.ordered(value))
        case .isIn(let values): isIn(values.flatMap(EventDateText.equals))
        case .contains, .startsWith, .exists: compile(comparison)
        }
    }
}
