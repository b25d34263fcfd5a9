import BelfryModel

/// Queries of devices whose attribute may fulfil a comparison, by the indexes of its two columns.
///
/// A value has an entry in one of the indexes: by its number if it has one, otherwise by the beginning of its text. So
/// a comparison uses one index or both, and finds all devices that fulfil it, and perhaps some more.
struct AttributeLookup {
    let table: SQLText
    let attribute: AudienceColumns.Attribute
    let dialect: any Dialect

    /// The devices with any value of the attribute.
    var all: AudienceCandidates { .union([texts(), numbers("IS NOT NULL")]) }

    /// The devices whose value equals one of these; nil for an empty list.
    func equal(to values: [AttributeValue]) -> AudienceCandidates? {
        guard !values.isEmpty else { return nil }
        let texts = texts(.membership(key, texts: values.map(\.indexedText), dialect))
        // A text that reads as a number equals values that read as the same number, and practically no others.
        guard values.allSatisfy({ $0.numberRead != nil || Double($0.textRead) == nil }) else {
            return .union([texts, numbers("IS NOT NULL")])
        }
        let numeric = values.compactMap(\.numberRead)
        guard !numeric.isEmpty else { return texts }
        return .union([texts, matching(.membership(number, numbers: numeric, dialect))])
    }

    /// - Parameter op: `<=` or `>=`. They also serve for `<` and `>`, since texts may differ only after the indexed
    ///   length.
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
            // As a join, so that each range is looked up in the index by itself.
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
    /// As much of the text as the index contains.
    fileprivate var indexedText: String {
        let text = textRead
        guard text.utf8.count > AudienceTable.indexedLength else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(AudienceTable.indexedLength)))
    }
}

extension String {
    /// The first text after all that begin with this one, by code points; nil if there is none.
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
    /// The next code point. Surrogates are not code points, so U+E000 follows U+D7FF.
    fileprivate var next: Unicode.Scalar? {
        Unicode.Scalar(value == 0xd7ff ? 0xe000 : value + 1)
    }
}
