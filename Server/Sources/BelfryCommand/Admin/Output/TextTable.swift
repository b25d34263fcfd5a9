/// Rows of text in columns of equal width.
package struct TextTable {
    let headings: [String]
    private(set) var rows: [[String]] = []

    package init(_ headings: String...) {
        self.headings = headings
    }

    package mutating func add(_ cells: String...) {
        rows.append(cells.map(\.printable))
    }

    /// A table of names and values. An absent value has no row.
    static func properties(_ rows: [(name: String, value: String?)]) -> TextTable {
        var table = TextTable("PROPERTY", "VALUE")
        for row in rows {
            if let value = row.value { table.add(row.name, value) }
        }
        return table
    }

    package var text: String {
        let lines = [headings] + rows
        let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var text = padded.joined(separator: "  ")
            while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
            return text
        }
        let rule = line(widths.map { String(repeating: "─", count: $0) })
        return ([line(headings), rule] + rows.map(line)).joined(separator: "\n")
    }
}
