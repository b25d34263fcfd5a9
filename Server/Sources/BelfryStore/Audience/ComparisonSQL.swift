import BelfryModel

/// A comparison as SQL: of numbers if both sides are or read as numbers, otherwise of texts, by code points. Null if
/// the subject is missing.
struct ComparisonSQL {
    /// Expressions for the subject's text, and for the number that it is or reads as; null if it has none.
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
        // If the subject is not a number, the first part is null, and the texts are compared.
        return """
            coalesce(\(self.number) \(op) \(bind: .real(number)), \(text) \(op) \(bind: .text(value.textRead)))
            """
    }

    /// True if one of the values is equal, as with `==`. It is one list, since a chain of ten thousand comparisons
    /// exceeds the engines' limits.
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
    /// Compiles a comparison with an attribute of an event, whose dates are texts.
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

extension Dialect {
    /// The number as which a text expression reads; null if it is not a number.
    func number(readFrom text: SQLFragment) -> SQLFragment {
        "(CASE WHEN \(readsAsNumber(text)) THEN CAST(\(text) AS DOUBLE PRECISION) END)"
    }
}
