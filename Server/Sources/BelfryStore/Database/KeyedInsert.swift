/// An insert of rows into one table that skips rows whose key already exists.
package struct KeyedInsert: Sendable {
    package struct Column: Sendable {
        package let name: SQLText
        package let kind: TableShape.Kind

        package init(_ name: SQLText, _ kind: TableShape.Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package let columns: [Column]
    /// The indexes of the columns that make the key, which is unique in the table.
    package let key: [Int]
    /// Inserts one row; its arguments are the row's values.
    package let rowSQL: SQLText
    /// Inserts many rows, and returns the keys of those that were new. Its arguments are arrays, one for each column,
    /// which not every engine supports.
    package let arraysSQL: SQLText

    /// - Parameter isOfPartition: whether the key may be unique in each partition only, not in the whole table. Then
    ///   the statement names no key, and a conflict with any key skips the row. So the table must have no other key: a
    ///   skipped row counts as stored.
    package init(into table: SQLText, _ columns: [Column], key: [Int], isOfPartition: Bool = false) {
        self.columns = columns
        self.key = key
        let names = columns.map(\.name).joined(by: ", ")
        let keys = key.map { columns[$0].name }.joined(by: ", ")
        let target: SQLText = isOfPartition ? "" : " (\(keys))"
        // As columns of a `SELECT`: as a table, `FROM unnest(…)`, all rows would be materialized before the first is
        // written.
        let arrays = columns.map { column -> SQLText in "unnest(\(column.kind.arrayMark))" }.joined(by: ", ")
        rowSQL = """
            INSERT INTO \(table) (\(names)) VALUES (\(SQLText.marks(columns.count))) ON CONFLICT\(target) DO NOTHING
            """
        arraysSQL = """
            INSERT INTO \(table) (\(names)) SELECT \(arrays) ON CONFLICT\(target) DO NOTHING
            RETURNING \(keys)
            """
    }
}
