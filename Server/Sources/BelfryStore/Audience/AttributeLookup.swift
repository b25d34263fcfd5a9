import BelfryModel

/// Queries of the devices whose attribute may fulfil a comparison, by the indexes of its two columns.
///
/// A value has an entry in one of them: by its number if it has one, else by the beginning of its text. So a comparison
/// asks the one, the other or both, and finds all that fulfil it, and perhaps some more.
struct AttributeLookup {
    let table: String
    let attribute: AudienceColumns.Attribute

    /// Everybody who has a value.
    var all: AudienceCandidates { .union([texts(), numbers("IS NOT NULL")]) }

    /// Equal to one of the values.
    func equal(to values: [AttributeValue]) -> AudienceCandidates? {
        guard !values.isEmpty else { return nil }
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        let texts = texts("\(key) IN (\(marks))", values.map { .text($0.indexedText) })
        // The text of a number is equal to what reads as that number, and to nothing else that one meets.
        guard values.allSatisfy({ $0.numberRead != nil || Double($0.textRead) == nil }) else {
            return .union([texts, numbers("IS NOT NULL")])
        }
        let numeric = values.compactMap(\.numberRead)
        guard !numeric.isEmpty else { return texts }
        let numberMarks = repeatElement("?", count: numeric.count).joined(separator: ", ")
        return .union([texts, numbers("IN (\(numberMarks))", numeric.map(SQLValue.real))])
    }

    /// - Parameter op: `<=` or `>=`; what is cut off may be equal, so they stand for `<` and `>` as well.
    func ordered(_ op: String, _ value: AttributeValue) -> AudienceCandidates {
        let texts = texts("\(key) \(op) ?", [.text(value.indexedText)])
        guard let number = value.numberRead else { return .union([texts, numbers("IS NOT NULL")]) }
        return .union([texts, numbers("\(op) ?", [.real(number)])])
    }

    func starting(with part: String) -> AudienceCandidates {
        let first = AttributeValue.string(part).indexedText
        guard let next = first.successor else { return all }
        return .union([texts("\(key) >= ? AND \(key) < ?", [.text(first), .text(next)]), numbers("IS NOT NULL")])
    }

    func dates(_ comparison: Comparison, in context: ConditionContext) -> AudienceCandidates? {
        if case .notEqual = comparison { return nil }
        let dates = DateComparisonSQL(milliseconds: "p.\(attribute.numeric)") { .real(Double($0)) }
        let sql = dates.compile(comparison, in: context)
        return .lookup(
            SQLFragment("SELECT \(AudienceCandidates.device) FROM \(table) p WHERE \(sql.sql)", sql.arguments))
    }

    private var key: String { AudienceTable.indexed("p.\(attribute.text)") }

    private func texts(_ condition: String = "1 = 1", _ arguments: [SQLValue] = []) -> AudienceCandidates {
        .lookup(
            SQLFragment(
                """
                SELECT \(AudienceCandidates.device) FROM \(table) p
                WHERE p.\(attribute.numeric) IS NULL AND p.\(attribute.text) IS NOT NULL AND \(condition)
                """,
                arguments
            )
        )
    }

    private func numbers(_ condition: String, _ arguments: [SQLValue] = []) -> AudienceCandidates {
        .lookup(
            SQLFragment(
                "SELECT \(AudienceCandidates.device) FROM \(table) p WHERE p.\(attribute.numeric) \(condition)",
                arguments)
        )
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
