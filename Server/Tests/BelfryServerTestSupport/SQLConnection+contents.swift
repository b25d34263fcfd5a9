import BelfryStore

extension SQLConnection {
    /// All that a table holds, a text for each row, in one order.
    ///
    /// - Parameter left: columns that are left out.
    package func contents(of table: String, except left: Set<String> = [], _ engine: Engine) throws -> [String] {
        let columns = try query(engine.columns, [.text(table)], { $0.text(0) }).filter { !left.contains($0) }.sorted()
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return try query(SQLText(ofTest: "SELECT \(list) FROM \"\(table)\""), []) { row in
            columns.indices.map { index in
                row.isNull(index) ? "-" : "\(columns[index])=\(String(decoding: row.utf8(index), as: UTF8.self))"
            }.joined(separator: " ")
        }.sorted()
    }
}
