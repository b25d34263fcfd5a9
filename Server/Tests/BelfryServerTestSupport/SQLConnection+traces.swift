import BelfryStore

extension SQLConnection {
    /// Where a text is in the database, in whatever case and within whatever else: `audit_log.target`.
    ///
    /// The database itself says which tables and columns there are, so that those of tomorrow are looked at too.
    package func traces(of text: String, _ engine: Engine) throws -> Set<String> {
        let needle = Array(text.lowercased().utf8)
        // PostgreSQL shows bytes as their digits.
        let digits = needle.flatMap { byte in Array(((byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8) }
        var places: Set<String> = []
        for table in try tableNames(engine) {
            let columns = try query(engine.columns, [.text(table)]) { $0.text(0) }
            let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            _ = try query(SQLText(ofTest: "SELECT \(list) FROM \"\(table)\""), []) { row in
                for (index, column) in columns.enumerated() where !row.isNull(index) {
                    let value = row.utf8(index).map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
                    if value.contains(needle) || value.contains(digits) { places.insert("\(table).\(column)") }
                }
            }
        }
        return places
    }
}

extension Engine {
    /// Names the columns of a table, which is the argument.
    var columns: SQLText {
        switch self {
        case .sqlite: "SELECT name FROM pragma_table_info(?)"
        case .postgres:
            "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?"
        }
    }
}
