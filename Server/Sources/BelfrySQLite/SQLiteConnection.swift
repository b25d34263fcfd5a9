import BelfryStore
import GRDB
import GRDBSQLite

/// A connection inside a transaction. GRDB opens it and keeps its statements; arguments and rows go directly to and
/// from SQLite, without GRDB's values: the server's hottest statements run here (PERF-3, PERF-4).
struct SQLiteConnection: SQLConnection {
    /// The length in bytes up to which a statement is kept for its next use. Longer ones come from audiences, and each
    /// is different, so the connection would keep them all.
    static let maximumKeptLength = 2_048

    let database: GRDB.Database

    var dialect: any Dialect { SQLiteDialect() }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        let run = try run(sql)
        defer { run.end() }
        return try run.execute(arguments)
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        guard !rows.isEmpty else { return 0 }
        let run = try run(sql)
        defer { run.end() }
        return try rows.reduce(0) { try $0 + run.execute($1) }
    }

    func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool] {
        guard !rows.isEmpty else { return [] }
        let run = try run(insert.rowSQL)
        defer { run.end() }
        return try rows.map { try run.execute($0) > 0 }
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        let run = try run(sql)
        defer { run.end() }
        try run.bind(arguments)
        var elements: [Element] = []
        while try run.step() {
            elements.append(try map(SQLiteRow(statement: run.statement)))
        }
        return elements
    }

    /// Reads row by row, so that the engine reads no further than the limit allows.
    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try forEach(sql, arguments) { row in
            guard room.take(row.byteCount(texts)) else { return false }
            elements.append(try map(row))
            return true
        }
        return elements
    }

    /// Reads row by row, until the body returns false.
    func forEach(_ sql: SQLText, _ arguments: [SQLValue], _ body: (SQLiteRow) throws -> Bool) throws {
        let run = try run(sql)
        defer { run.end() }
        try run.bind(arguments)
        while try run.step(), try body(SQLiteRow(statement: run.statement)) {}
    }

    private func run(_ sql: SQLText) throws -> StatementRun {
        guard sql.statement.utf8.count <= Self.maximumKeptLength else {
            return StatementRun(owner: try database.makeStatement(sql: sql.statement))
        }
        return StatementRun(owner: try database.cachedStatement(sql: sql.statement))
    }
}

/// One use of a prepared statement.
private struct StatementRun {
    /// Tells SQLite to copy a bound value.
    // The C header defines the constant as -1 cast to a function pointer, which Swift does not import.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Keeps the statement alive as long as it is used.
    let owner: Statement
    let statement: OpaquePointer

    init(owner: Statement) {
        self.owner = owner
        statement = owner.sqliteStatement
    }

    /// Runs a statement whose rows nobody reads; returns how many rows it changed.
    func execute(_ arguments: [SQLValue]) throws -> Int {
        try bind(arguments)
        while try step() {}
        sqlite3_reset(statement)
        return Int(sqlite3_changes(sqlite3_db_handle(statement)))
    }

    /// Binds every argument, so that none remains from the statement's last use.
    func bind(_ arguments: [SQLValue]) throws {
        let expected = Int(sqlite3_bind_parameter_count(statement))
        guard arguments.count == expected else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the statement has \(expected) parameters, not \(arguments.count)", sql: owner.sql
            )
        }
        for (index, argument) in arguments.enumerated() {
            let code = Self.bind(argument, to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// - Returns: whether there is a row to read.
    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Resets the statement for its next use. The error of its last step was thrown there.
    func end() {
        sqlite3_reset(statement)
    }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqlite3_db_handle(statement))),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))), sql: owner.sql
        )
    }

    private static func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(statement, index)
        case .integer(let number):
            return sqlite3_bind_int64(statement, index, number)
        case .real(let number):
            return sqlite3_bind_double(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                sqlite3_bind_text(
                    statement, index, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count), copied
                )
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                // A null pointer would bind NULL, not an empty blob.
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), copied)
            }
        }
    }
}

/// The current row of a statement; it must be read before the next step.
struct SQLiteRow: SQLRow {
    let statement: OpaquePointer

    func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(statement, Int32(column))
    }

    func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func utf8(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_text(statement, Int32(column)) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }

    func byteCount(_ column: Int) -> Int {
        Int(sqlite3_column_bytes(statement, Int32(column)))
    }

    func blob(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
    }
}

extension SQLiteConnection: GroupConnection {
    var changes: Int { Int(sqlite3_total_changes(database.sqliteConnection)) }

    func inSavepoint(_ body: () throws -> Void) throws {
        try database.inSavepoint {
            try body()
            return .commit
        }
    }

    func isRejection(_ error: any Error) -> Bool {
        error is DatabaseError
    }

    /// An error such as a full disk ends the transaction itself.
    func checkTransaction(_ error: any Error) throws {
        if !database.isInsideTransaction { throw error }
    }
}

extension SQLiteConnection {
    /// Reads in one snapshot of what is committed. The statements are kept; GRDB's own are prepared again for each
    /// transaction. The transaction always ends here, since the next read would otherwise run in it.
    func reading<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        try execute("BEGIN DEFERRED")
        defer {
            if database.isInsideTransaction { try? database.rollback() }
        }
        let output = Result { try body(self) }
        // The rows have been read, even if the transaction's end fails.
        _ = try? execute("COMMIT")
        return try output.get()
    }

    /// Bytes of the file that are memory-mapped. Reading page by page, each with a system call, makes a scan of a large
    /// table almost twice as long.
    private static let mappedBytes = 512 << 20

    /// Maps the file only for the body: mapped memory counts as the process's, and other work reads little.
    func scanning<Output>(_ body: () throws -> Output) throws -> Output {
        _ = try query("PRAGMA mmap_size = \(Self.mappedBytes)", []) { $0.integer(0) }
        defer { _ = try? query("PRAGMA mmap_size = 0", []) { $0.integer(0) } }
        return try body()
    }
}
