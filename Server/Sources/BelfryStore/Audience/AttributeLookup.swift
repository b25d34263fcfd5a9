import BelfryModel

/// Queries of the devices whose attribute may fulfil a comparison, by the indexes of its two columns.
///
/// A value has an entry in one of them: by its number if it has one, else by the beginning of its text. So a comparison
/// asks the one, the other or both, and finds all that fulfil it, and perhaps some more.
struct AttributeLookup {
    let table: SQLText
    let attribute: AudienceColumns.Attribute
    let dialect: any Dialect

    /// Everybody who has a value.
    var all: AudienceCandidates { .union([texts(), numbers("IS NOT NULL")]) }

    /// Equal to one of the values.
    func equal(to values: [AttributeValue]) -> AudienceCandidates? {
        guard !values.isEmpty else { return nil }
        let texts = texts(.membership(key, texts: values.map(\.indexedText), dialect))
        // The text of a number is equal to what reads as that number, and to nothing else that one meets.
        guard values.allSatisfy({ $0.numberRead != nil || Double($0.textRead) == nil }) else {
            return .union([texts, numbers("IS NOT NULL")])
        }
        let numeric = values.compactMap(\.numberRead)
        guard !numeric.isEmpty else { return texts }
        return .union([texts, matching(.membership(number, numbers: numeric, dialect))])
    }

    /// - Parameter op: `<=` or `>=`; what is cut off may be equal, so they stand for `<` and `>` as well.
    func ordered(_ op: SQLText, _ value: AttributeValue) -> AudienceCandidates {
        let texts = texts("\(key) \(op) \(bind: .text(value.indexedText))")
        guard let number = value.numberRead else { return .union([texts, numbers("IS NOT NULL")]) }
        return .union([texts, numbers("\(op) \(bind: .real(number))")])
    }

    func starting(with part: String) -> AudienceCandidates {
        let first = AttributeValue.string(part).indexedText
        guard let next = first.successor else { return all }
        return .union([
            texts("\(key) >= \(bind: .text(first)) AND \(key) < \(bind: .text(next))"), numbers("IS NOT NULL"),
        ])
    }

    func dates(_ comparison: Comparison, in context: ConditionContext) -> AudienceCandidates? {
        if case .notEqual = comparison { return nil }
        let dates = DateComparisonSQL(milliseconds: number, dialect: dialect) { .real(Double($0)) }
        if case .isIn(let values) = comparison, let many = dates.manyRanges(values, in: context) {
            // Each range is looked up in the index by itself.
            return .lookup(
                "SELECT \(AudienceCandidates.device) FROM (\(many)) r CROSS JOIN \(table) p WHERE \(number) BETWEEN r.low AND r.high"
            )
        }
        return matching(dates.compile(comparison, in: context))
    }

    private var key: SQLFragment { SQLFragment(AudienceTable.indexed("p.\(attribute.text)")) }
    private var number: SQLFragment { "p.\(attribute.numeric)" }

    private func texts(_ condition: SQLFragment = .everybody) -> AudienceCandidates {
        matching("\(number) IS NULL AND p.\(attribute.text) IS NOT NULL AND \(condition)")
    }

    private func numbers(_ condition: SQLFragment) -> AudienceCandidates {
        matching("\(number) \(condition)")
    }

    private func matching(_ condition: SQLFragment) -> AudienceCandidates {
        .lookup("SELECT \(AudienceCandidates.device) FROM \(table) p WHERE \(condition)")
    }
}

extension AttributeValue {
    /// As much of the text as an index holds.
    fileprivate var indexedText: String {
        let text = textRead
        guard text.utf8.count > AudienceTable.indexedLength else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(AudienceTable.indexedLength)))
    }
}

extension String {
    /// The first text behind all that begin with this one, by code points; nil when there is none.
    fileprivate var successor: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            guard let next = last.next else { continue }
            scalars.append(next)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Behind the surrogates, which are no code points, it goes on at U+E000.
    fileprivate var next: Unicode.Scalar? {
        Unicode.Scalar(value == 0xd7ff ? 0xe000 : value + 1)
    }
}
