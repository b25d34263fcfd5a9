/// Rows of one table that are written unless their key is there already.
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
    /// Places among the columns of those that make the key, which is unique in the table.
    package let key: [Int]
    /// Inserts one row, whose values are its arguments.
    package let rowSQL: SQLText
    /// Inserts many, and gives the keys of those that were not there. Its arguments are arrays, one for each column, which
    /// not every engine has.
    package let arraysSQL: SQLText

    /// - Parameter isOfPartition: whether the key may be one of each partition of the table instead of the whole. Then no
    ///   key is named, and a row stays away whatever key refuses it: the table must have no other one, for what is told to
    ///   be there is taken for stored.
    package init(into table: SQLText, _ columns: [Column], key: [Int], isOfPartition: Bool = false) {
        self.columns = columns
        self.key = key
        let names = columns.map(\.name).joined(by: ", ")
        let keys = key.map { columns[$0].name }.joined(by: ", ")
        let target: SQLText = isOfPartition ? "" : " (\(keys))"
        // Side by side: as a table, `FROM unnest(…)`, all rows would be stored before the first is written.
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
