import BelfryModel

/// Merges the rows of two people (CON-5). The rows of the stored draft ("theirs") come first, in their order, then the
/// rows that were added in the form ("mine").
struct RowMerge {
    /// A merged row, and the marks of its fields by name.
    struct Row {
        var values: [String: String]
        var marks: [String: FormMark] = [:]
        /// Whether the row is there only because of their change.
        var isAdded = false
    }

    private let keyed: ComposePart.KeyedRows
    /// The rows that both began from; nil where that draft is no longer kept.
    private let base: [FormRows.Row]?
    private(set) var merged: [Row] = []
    /// Changes that no row can show, in sentences.
    private(set) var remarks: [String] = []

    init(
        _ keyed: ComposePart.KeyedRows, base: [FormRows.Row]?, mine: [FormRows.Row], theirs: [FormRows.Row]
    ) {
        self.keyed = keyed
        self.base = base
        var rest = mine
        for other in theirs {
            if let index = rest.firstIndex(where: { isSame($0, other) }) {
                merged.append(joined(rest.remove(at: index), other))
            } else if let row = added(other) {
                merged.append(row)
            }
        }
        let own = rest.compactMap { kept($0) }
        makeRoom(for: own.count)
        merged += own
    }

    /// Whether two rows are the same: they have the same key, or both sides have added them with the same label.
    private func isSame(_ row: FormRows.Row, _ other: FormRows.Row) -> Bool {
        guard row[keyed.key].isEmpty else { return row[keyed.key] == other[keyed.key] }
        return !row[keyed.label].showsNothing && row[keyed.label] == other[keyed.label] && before(other) == nil
    }

    /// The row as it was when the form was opened; nil for one that was added since.
    private func before(_ row: FormRows.Row) -> FormRows.Row? {
        row[keyed.key].isEmpty ? nil : base?.first { $0[keyed.key] == row[keyed.key] }
    }

    /// Merges a row that both sides have.
    private func joined(_ row: FormRows.Row, _ other: FormRows.Row) -> Row {
        var joined = Row(values: row.values)
        joined.values[keyed.key] = other[keyed.key]
        // Where both sides have added the row, each of its fields was empty before.
        let isNew = base != nil && row[keyed.key].isEmpty
        for name in keyed.rows.names where name != keyed.key && !row.says(name, other[name]) {
            let was: String? = before(row).map { $0[name] } ?? (isNew ? "" : nil)
            if row.says(name, was) {
                joined.values[name] = other[name]
                joined.marks[name] = .theirs
            } else if !other.says(name, was) {
                joined.marks[name] = .both(other[name], offer: name)
            }
        }
        return joined
    }

    /// A row that only they have; nil where the form has removed it and they have not changed it.
    private func added(_ other: FormRows.Row) -> Row? {
        let was = before(other)
        if let was, was.values.isExactly(other.values) { return nil }
        return Row(values: other.values, marks: [keyed.label: was == nil ? .theirs : .removed], isAdded: true)
    }

    /// A row that only the form has; nil where they have removed it and the form has not changed it.
    private mutating func kept(_ row: FormRows.Row) -> Row? {
        guard !row[keyed.key].isEmpty else { return Row(values: row.values) }
        if let was = before(row), was.values.isExactly(row.values) {
            remarks.append("They have removed \(name(row.values)).")
            return nil
        }
        return Row(values: row.values, marks: [keyed.label: .both("removed", offer: keyed.label)])
    }

    /// Keeps the number of rows within the form's maximum: drops rows that they have added, with a remark, and never a
    /// typed row.
    private mutating func makeRoom(for count: Int) {
        while merged.count + count > keyed.rows.maximum, let last = merged.lastIndex(where: \.isAdded) {
            remarks.append("There is no room for the row that they added: \(name(merged.remove(at: last).values)).")
        }
    }

    private func name(_ values: [String: String]) -> String {
        let label = values[keyed.label] ?? ""
        return "'\(ShownText.text(label.showsNothing ? values[keyed.key] ?? "" : label, atMost: 60).isolated)'"
    }
}
