import BelfryModel

/// The rows of two people, brought together (CON-5): in their order, and what was added here behind them.
struct RowMerge {
    /// A row, and what its fields tell, by their names.
    struct Row {
        var values: [String: String]
        var marks: [String: FormMark] = [:]
        /// Whether it stands there by their change alone.
        var isAdded = false
    }

    private let keyed: ComposePart.KeyedRows
    /// What both began from; nil where nobody knows.
    private let base: [FormRows.Row]?
    private(set) var merged: [Row] = []
    /// What no row can tell.
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

    /// Whether they are the same row: by its key; of one that was added here, one that they have added and call alike.
    private func isSame(_ row: FormRows.Row, _ other: FormRows.Row) -> Bool {
        guard row[keyed.key].isEmpty else { return row[keyed.key] == other[keyed.key] }
        return !row[keyed.label].showsNothing && row[keyed.label] == other[keyed.label] && before(other) == nil
    }

    /// What a row was when the form was opened; nil for one that was added since.
    private func before(_ row: FormRows.Row) -> FormRows.Row? {
        row[keyed.key].isEmpty ? nil : base?.first { $0[keyed.key] == row[keyed.key] }
    }

    /// A row of both.
    private func joined(_ row: FormRows.Row, _ other: FormRows.Row) -> Row {
        var joined = Row(values: row.values)
        joined.values[keyed.key] = other[keyed.key]
        // Of one that both have added, nothing stood there before.
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

    /// A row that stands with them alone; nil where it was removed here, and they have left it alone.
    private func added(_ other: FormRows.Row) -> Row? {
        let was = before(other)
        if let was, was.values.isExactly(other.values) { return nil }
        return Row(values: other.values, marks: [keyed.label: was == nil ? .theirs : .removed], isAdded: true)
    }

    /// A row that stands here alone; nil where they have removed it, and nobody has changed it here.
    private mutating func kept(_ row: FormRows.Row) -> Row? {
        guard !row[keyed.key].isEmpty else { return Row(values: row.values) }
        if let was = before(row), was.values.isExactly(row.values) {
            remarks.append("They have removed \(name(row.values)).")
            return nil
        }
        return Row(values: row.values, marks: [keyed.label: .both("removed", offer: keyed.label)])
    }

    /// A form has so many rows: what was typed stands in it, and what does not fit is told.
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
