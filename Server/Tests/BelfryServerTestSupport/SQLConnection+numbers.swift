import BelfryStore

extension SQLConnection {
    /// Gives all rows of a table another number, by which they lie on a cluster: there none changes its shard, so each is
    /// written anew and the former one is removed.
    package func renumber(_ table: String, _ column: String, from former: Int64, to number: Int64) throws {
        let numbers: [SQLValue] = [.integer(number), .integer(former)]
        guard dialect.isDistributed else {
            try execute(SQLText(ofTest: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?"), numbers)
            return
        }
        let others = try query(Engine.postgres.columns, [.text(table)]) { $0.text(0) }.filter { $0 != column }
        let list = others.joined(separator: ", ")
        try execute(
            SQLText(
                ofTest: """
                    INSERT INTO \(table) (\(column), \(list))
                    SELECT CAST(? AS BIGINT), \(list) FROM \(table) WHERE \(column) = ?
                    """
            ),
            numbers
        )
        try execute(SQLText(ofTest: "DELETE FROM \(table) WHERE \(column) = ?"), [.integer(former)])
        try fillDirectories()
    }
}
