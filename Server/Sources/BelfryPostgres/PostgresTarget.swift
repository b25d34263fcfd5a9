import BelfryStore

/// A database into which a whole store is moved (STO-4), with one connection. Only one move may use it at a time.
package final class PostgresTarget {
    /// Held while a move is at work; a second move is refused. If the moving process is killed, the server releases it
    /// in a moment; if its machine is gone, within half a minute.
    private static let turn: SQLText = "hashtext('belfry move'), hashtext(current_schema())"
    private static let session: SQLText = """
        SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '5s';
        SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 30000
        """

    private let link: PostgresLink

    private init(_ link: PostgresLink) {
        self.link = link
    }

    /// Connects to a database, without making anything in it.
    ///
    /// - Throws: ``PostgresOpeningError``, and whatever the body throws.
    package static func enter<Output>(
        _ settings: PostgresSettings, _ body: (PostgresTarget) throws -> Output
    ) throws -> Output {
        let line = PostgresLine("move", settings)
        defer { line.close() }
        do {
            let link = try line.queue.sync { try line.ready() }
            // This does not use the line's queue: the body reads another store, which must be used on the queue on
            // which it was opened.
            try PostgresOpening.check(link)
            try link.command(Self.session)
            let target = PostgresTarget(link)
            try target.takeTurn(settings.address)
            try settings.placement.read(link)
            return try body(target)
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: settings.address)
        }
    }

    /// The lock is released with the connection.
    private func takeTurn(_ address: PostgresAddress) throws {
        let facts = try connection.first(
            """
            SELECT current_schema() IS NOT NULL AND has_schema_privilege(current_schema(), 'CREATE'),
                pg_is_in_recovery()
            """,
            []
        ) { (mayCreate: $0.flag(0), isReplica: $0.flag(1)) }
        func rejection(_ reason: String) -> PostgresOpeningError {
            .failed(database: address.summary, reason: reason)
        }
        if facts?.isReplica == true { throw rejection("it is a replica. Name the primary server.") }
        if facts?.mayCreate != true {
            throw rejection(
                "this user cannot create tables in its schema. Make the user the owner of the database, or name an "
                    + "existing schema in search_path.")
        }
        do {
            try link.command("SELECT pg_advisory_lock(\(Self.turn))")
        } catch let error as PostgresError where error.isConflict {
            throw rejection("another 'belfry migrate-store' is at work on it.")
        }
        try link.command("SET lock_timeout = 0")
    }

    /// Whether several servers hold the database together.
    package var isDistributed: Bool { link.isDistributed }

    /// A connection for the repositories' queries, outside of any transaction.
    private var connection: PostgresConnection { PostgresConnection(link: link) }

    /// Runs a body in a transaction. If the body throws, all its changes are undone.
    ///
    /// - Throws: ``StoreError`` where it has a case for the server's error, as for writes of a store.
    package func transaction<Output>(_ body: (Transaction) throws -> Output) throws -> Output {
        do {
            link.begin("ISOLATION LEVEL READ COMMITTED")
            let output = try body(Transaction(link: link))
            try link.commit()
            return output
        } catch {
            link.rollBack()
            throw StoreError.mapped(postgres: error)
        }
    }

    /// Reads all rows of a table, each as ``RowBytes`` with the columns of its shape.
    package func rows(of table: TableShape, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        try link.copyOut("COPY (SELECT \(table.columnList) FROM \(table.name)) TO STDOUT (FORMAT binary)", body)
    }

    /// Makes the server collect statistics of a filled table, so that its first statements are planned well.
    package func analyze(_ table: SchemaName) throws {
        try link.command("ANALYZE \(table)")
    }

    /// A transaction on the target.
    package struct Transaction {
        fileprivate let link: PostgresLink

        package var connection: any SQLConnection { PostgresConnection(link: link) }

        /// Waits for a server that is making the schema, and keeps others from it until the transaction ends.
        package func keepOthersOut() throws {
            try link.command("SELECT pg_advisory_xact_lock(\(PostgresOpening.lock))")
        }

        /// Writes rows that the body gives one by one, each as ``RowBytes`` with the columns of the table's shape.
        ///
        /// - Returns: how many rows were written.
        @discardableResult
        package func copy(
            into table: TableShape, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
        ) throws -> Int {
            try link.copyIn("COPY \(table.name) (\(table.columnList)) FROM STDIN (FORMAT binary)") { writer in
                try body { try writer.write($0) }
            }
        }

        package func empty(_ table: SchemaName) throws {
            try link.command("TRUNCATE \(table)")
        }
    }
}

extension PostgresTarget.Transaction {
    /// The selected facts about a column: the collation is nil if it is ours, the key is -1 for a column outside the
    /// key.
    private enum ColumnPlace: Int, ResultPlace {
        case table, column, type, collation, key
    }

    /// All tables of the schema except those of extensions, by name.
    ///
    /// - Throws: ``PostgresTargetError`` for a column that belfry did not make.
    package func tables() throws -> [TableShape] {
        let rows = try connection.query(
            """
            SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.atttypid = 'text'::regtype AND l.collname <> 'C' THEN l.collname END,
                coalesce(array_position(i.indkey::int2[], a.attnum), -1)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            LEFT JOIN pg_collation l ON l.oid = a.attcollation
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition
                AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                    AND d.objid = c.oid AND d.deptype = 'e')
            ORDER BY c.relname, a.attnum
            """,
            []
        ) { row -> (table: String, column: String, type: String, collation: String?, key: Int) in
            let row = ResultRow<ColumnPlace>(row)
            return (
                table: row.text(.table), column: row.text(.column), type: row.text(.type),
                collation: row.optionalText(.collation), key: Int(row.integer(.key))
            )
        }
        return try Dictionary(grouping: rows, by: \.table).sorted { $0.key < $1.key }.map { table, rows in
            guard let name = SchemaName(table) else { throw PostgresTargetError.foreignTable(table) }
            let columns = try rows.map { row in
                if let collation = row.collation {
                    throw PostgresTargetError.collation(table: table, column: row.column, found: collation)
                }
                guard let name = SchemaName(row.column), let kind = TableShape.Kind(declared: row.type) else {
                    throw PostgresTargetError.foreignTable(table)
                }
                return TableShape.Column(name: name, kind: kind)
            }
            let key = rows.indices.filter { rows[$0].key >= 0 }.sorted { rows[$0].key < rows[$1].key }
            return TableShape(name: name, columns: columns, key: key)
        }
    }

    /// The columns whose numbers the engine generates.
    package func numberedColumns() throws -> [(table: SchemaName, column: SchemaName)] {
        try connection.query(
            """
            SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND a.attidentity <> ''
            ORDER BY c.relname
            """,
            []
        ) { row in
            SchemaName(row.text(0)).flatMap { table in SchemaName(row.text(1)).map { (table: table, column: $0) } }
        }.compactMap { $0 }
    }

    /// Makes the generated numbers of a column continue from this one.
    package func continueNumbers(of table: SchemaName, column: SchemaName, from next: Int64) throws {
        _ = try connection.query(
            "SELECT setval(pg_get_serial_sequence(quote_ident(?::text), ?::text)::regclass, ?::bigint, false)",
            [.text(table.text), .text(column.text), .integer(next)]
        ) { $0.integer(0) }
    }
}

/// Why a store cannot be moved into a database.
package enum PostgresTargetError: Error, Hashable, CustomStringConvertible {
    case foreignTable(String)
    case collation(table: String, column: String, found: String)

    package var description: String {
        switch self {
        case .foreignTable(let table):
            "The database has a table '\(table)' that is not belfry's. Create an empty database for belfry, or name "
                + "another schema in search_path."
        case .collation(let table, let column, let found):
            "The column '\(column)' of the table '\(table)' has the collation \(found) instead of C: belfry did not "
                + "make it. Create an empty database and begin again."
        }
    }
}
