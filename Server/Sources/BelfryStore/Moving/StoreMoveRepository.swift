import Foundation

/// The state of a move of a whole store into this database, as stored in it (STO-4).
package struct StoreMove: Hashable, Sendable {
    /// Identifies the deployment that is moved.
    package let source: String
    /// The schema version of both databases when the move began.
    package let schema: Int
    package let begunAt: Date
    /// Nil while the move is under way: until then no server starts on this database.
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

/// How much of a table has been moved.
package struct TableProgress: Hashable, Sendable {
    package static let start = TableProgress(rows: 0, position: nil)

    package let rows: Int
    /// The key of the last row that was moved, as ``RowBytes``; nil: no row was moved.
    package let position: [UInt8]?

    package init(rows: Int, position: [UInt8]?) {
        self.rows = rows
        self.position = position
    }
}

/// The tables that record a move. The move makes them, so they are not part of the numbered schema. The table of the
/// progress is dropped when the move ends.
package struct StoreMoveRepository {
    /// A database with this table is the target of a move.
    package static let table = SchemaName("store_move")

    let connection: any SQLConnection

    /// Makes the schema in an empty database. No server starts on it until ``finish(now:)``.
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

    /// The move that has begun into this database, if any.
    package func find() throws -> StoreMove? {
        try connection.first("SELECT \(StoreMove.columns) FROM store_move", [], StoreMove.init)
    }

    package func progress(of table: SchemaName) throws -> TableProgress {
        try connection.first(
            "SELECT moved, last_key FROM store_move_tables WHERE name = ?", [.text(table.text)]
        ) { TableProgress(rows: Int($0.integer(0)), position: $0.isNull(1) ? nil : $0.blob(1)) } ?? .start
    }

    /// Records how far a table is. Call it in the transaction that writes the rows.
    package func note(_ progress: TableProgress, of table: SchemaName) throws {
        try connection.execute(
            """
            INSERT INTO store_move_tables (name, moved, last_key) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET moved = excluded.moved, last_key = excluded.last_key
            """,
            [.text(table.text), .integer(progress.rows), progress.position.map(SQLValue.blob) ?? .null]
        )
    }

    /// Ends the move: from now on servers can start on this database.
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
    /// Makes the empty audience table of an app, with the columns of all attributes that it has ever had.
    ///
    /// - Parameter source: the database with the attribute definitions.
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
            // The type affects how values are written, not which columns there are, so any type will do.
            try add(AudienceColumns.Attribute(type: .string, number: number), app: app)
        }
    }
}
