import BelfryStore
import GRDB
import GRDBSQLite

/// A store's file as the source of a move: its tables and rows in one snapshot. The file is not changed (STO-4).
package struct SQLiteSource {
    private let base: SQLiteConnection

    /// A connection for the repositories' queries.
    package var connection: any SQLConnection { base }

    /// - Throws: ``StoreError``, and whatever the body throws.
    package static func read<Output>(path: String, _ body: (SQLiteSource) throws -> Output) throws -> Output {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let result = try queue.read { try body(SQLiteSource(base: SQLiteConnection(database: $0))) }
            try queue.close()
            return result
        } catch {
            throw StoreError.mapped(error)
        }
    }

    /// The selected facts about a column.
    private enum ColumnPlace: Int, ResultPlace {
        case table, column, type, key
    }

    /// All tables, by name.
    ///
    /// - Throws: ``StoreError/corrupted(table:key:)`` for a table that belongs to no schema of this program.
    package func tables() throws -> [TableShape] {
        let rows = try base.query(
            """
            SELECT t.name, c.name, c.type, c.pk FROM sqlite_master t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY t.name, c.cid
            """,
            []
        ) { row -> (table: String, column: String, type: String, key: Int) in
            let row = ResultRow<ColumnPlace>(row)
            return (
                table: row.text(.table), column: row.text(.column), type: row.text(.type), key: Int(row.integer(.key))
            )
        }
        return try Dictionary(grouping: rows, by: \.table).sorted { $0.key < $1.key }.map { table, rows in
            let columns = try rows.map { row in
                guard let name = SchemaName(row.column), let kind = TableShape.Kind(declared: row.type) else {
                    throw StoreError.corrupted(table: table, key: row.column)
                }
                return TableShape.Column(name: name, kind: kind)
            }
            guard let name = SchemaName(table) else { throw StoreError.corrupted(table: table, key: "name") }
            // Positions in the key count from 1; 0 is a column outside the key.
            let key = rows.indices.filter { rows[$0].key > 0 }.sorted { rows[$0].key < rows[$1].key }
            return TableShape(name: name, columns: columns, key: key)
        }
    }

    package func count(of table: TableShape) throws -> Int {
        try base.first("SELECT count(*) FROM \(table.name)", []) { Int($0.integer(0)) } ?? 0
    }

    /// Reads rows in the order of their key, until the body returns false.
    ///
    /// - Parameter position: the key after which the rows begin; nil: all rows.
    /// - Throws: ``StoreError/corrupted(table:key:)`` for a text that is not valid, and whatever the body throws.
    package func rows(
        of table: TableShape, after position: [SQLValue]?, _ body: ([SQLValue]) throws -> Bool
    ) throws {
        let condition: SQLText =
            position == nil ? "" : "WHERE (\(table.keyList)) > (\(SQLText.marks(table.key.count)))"
        try base.forEach(
            "SELECT \(table.columnList) FROM \(table.name) \(condition) ORDER BY \(table.keyList)", position ?? []
        ) { row in
            try body(
                table.columns.indices.map { column in
                    guard let value = row.value(column) else {
                        throw StoreError.corrupted(
                            table: table.name.text, key: "\(table.columns[column].name): it is not UTF-8")
                    }
                    return value
                })
        }
    }

    /// The number that the next row of a table gets.
    package func nextNumber(of table: SchemaName, column: SchemaName) throws -> Int64 {
        let last = try base.first(
            """
            SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0),
                coalesce((SELECT max(\(column)) FROM \(table)), 0))
            """,
            [.text(table.text)]
        ) { $0.integer(0) }
        let next = (last ?? 0).addingReportingOverflow(1)
        return next.overflow ? .max : max(next.partialValue, 1)
    }
}

extension SQLiteRow {
    /// The value as stored: SQLite accepts any type in any column. Nil for a text that is not UTF-8.
    func value(_ column: Int) -> SQLValue? {
        switch sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(column)))
        case SQLITE_TEXT: String(validating: utf8(column), as: UTF8.self).map(SQLValue.text)
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }
}

/// Reads a store's file without changing it, while the server uses it: no schema is made or upgraded (CLI-6).
package enum SQLiteInspection {
    /// - Throws: ``StoreError``.
    package static func read<Output>(path: String, _ body: (any SQLConnection) throws -> Output) throws -> Output {
        try SQLiteSource.read(path: path) { try body($0.connection) }
    }
}
