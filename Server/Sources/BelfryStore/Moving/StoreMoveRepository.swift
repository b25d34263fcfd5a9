import Foundation

/// A move of a whole store into this database, as the database itself remembers it (STO-4).
package struct StoreMove: Hashable, Sendable {
    /// Names the deployment that is moved.
    package let source: String
    /// The version that both had when it began.
    package let schema: Int
    package let begunAt: Date
    /// Nil while it is under way: then no server begins here.
    package let finishedAt: Date?
}

extension StoreMove {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case source, schema, begunAt, finishedAt

        var sql: SQLText {
            switch self {
            case .source: "source"
            case .schema: "version"
            case .begunAt: "begun_at"
            case .finishedAt: "finished_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            source: row.text(.source), schema: Int(row.integer(.schema)), begunAt: row.date(.begunAt),
            finishedAt: row.optionalDate(.finishedAt)
        )
    }
}

/// How far a table has come.
package struct TableProgress: Hashable, Sendable {
    package static let start = TableProgress(rows: 0, position: nil)

    package let rows: Int
    /// The key of the last row that was moved, as ``RowBytes``; nil: none was.
    package let position: [UInt8]?

    package init(rows: Int, position: [UInt8]?) {
        self.rows = rows
        self.position = position
    }
}

/// The tables of a move. The move makes them, so they are not part of the numbered schema. The table of its progress is
/// dropped when it ends.
package struct StoreMoveRepository {
    /// A database that has this table is the target of a move.
    package static let table = SchemaName("store_move")

    let connection: any SQLConnection

    /// Makes the schema in an empty database, which no server enters until ``finish(now:)``.
    package func begin(source: String, now: Date) throws {
        try connection.migrate()
        try connection.execute(
            """
            CREATE TABLE store_move (
                source TEXT NOT NULL, version BIGINT NOT NULL, begun_at BIGINT NOT NULL, finished_at BIGINT)
            """
        )
        try connection.execute(
            """
            CREATE TABLE store_move_tables (
                name TEXT NOT NULL PRIMARY KEY, moved BIGINT NOT NULL, last_key \(connection.dialect.blobType))
            """
        )
        try connection.execute(
            "INSERT INTO store_move (source, version, begun_at) VALUES (?, ?, ?)",
            [.text(source), .integer(Migration.newest), .date(now)]
        )
        try connection.execute(
            "INSERT INTO schema_version (version) VALUES (?)", [.integer(Migration.unfinishedMove)]
        )
    }

    /// The one that has begun here.
    package func find() throws -> StoreMove? {
        try connection.first("SELECT \(StoreMove.columns) FROM store_move", [], StoreMove.init)
    }

    package func progress(of table: SchemaName) throws -> TableProgress {
        try connection.first(
            "SELECT moved, last_key FROM store_move_tables WHERE name = ?", [.text(table.text)]
        ) { TableProgress(rows: Int($0.integer(0)), position: $0.isNull(1) ? nil : $0.blob(1)) } ?? .start
    }

    /// Called in the transaction that writes the rows.
    package func note(_ progress: TableProgress, of table: SchemaName) throws {
        try connection.execute(
            """
            INSERT INTO store_move_tables (name, moved, last_key) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET moved = excluded.moved, last_key = excluded.last_key
            """,
            [.text(table.text), .integer(progress.rows), progress.position.map(SQLValue.blob) ?? .null]
        )
    }

    /// From now on servers enter the database.
    package func finish(now: Date) throws {
        try connection.execute("UPDATE store_move SET finished_at = ?", [.date(now)])
        try connection.execute(
            "DELETE FROM schema_version WHERE version = ?", [.integer(Migration.unfinishedMove)]
        )
        try connection.execute("DROP TABLE store_move_tables")
    }
}

extension SQLConnection {
    package var storeMoves: StoreMoveRepository { StoreMoveRepository(connection: self) }
}

extension AudienceRepository {
    /// Makes the empty table of an app with the columns of all attributes that it has had.
    ///
    /// - Parameter source: the database that has them.
    package func make(app: Int64, as source: any SQLConnection) throws {
        try create(app: app)
        let numbers = try source.query(
            """
            SELECT number FROM attributes WHERE app_id = ? AND number IS NOT NULL
            UNION SELECT number FROM removed_attributes WHERE app_id = ? ORDER BY number
            """,
            [.integer(app), .integer(app)]
        ) { $0.integer(0) }
        for number in numbers {
            // What the type is decides how values are written, and not what the columns are.
            try add(AudienceColumns.Attribute(type: .string, number: number), app: app)
        }
    }
}
