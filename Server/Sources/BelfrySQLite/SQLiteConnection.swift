import BelfryStore
import GRDB
import GRDBSQLite

/// A connection inside a transaction. GRDB opens it and keeps its statements; arguments and rows go straight to and
/// from SQLite, without GRDB's values between: the server's hottest statements run here (PERF-3, PERF-4).
struct SQLiteConnection: SQLConnection {
    /// Bytes of a statement that is kept for its next use. Longer ones come from audiences: each is one of its kind,
    /// and the connection would keep them all.
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

    /// Row by row, so that the engine reads no further than there is room.
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
    /// SQLite makes a copy of its own of what is bound.
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

    /// Every argument of the statement, so that none is left over from its last use.
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

    /// Makes the statement ready for its next use. What its last step said was thrown there.
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

/// The row at which a statement stands; it is read before the next step.
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

    /// A full disk and the like end the transaction itself.
    func checkTransaction(_ error: any Error) throws {
        if !database.isInsideTransaction { throw error }
    }
}

extension SQLiteConnection {
    /// One view of what is committed. By statements that are kept: GRDB's own are prepared anew for each transaction.
    /// None is left open, for the next read would begin in it.
    func reading<Output>(_ body: (any SQLConnection) throws -> Output) throws -> Output {
        try execute("BEGIN DEFERRED")
        defer {
            if database.isInsideTransaction { try? database.rollback() }
        }
        let output = Result { try body(self) }
        // What was read before the end of its transaction failed was read all the same.
        _ = try? execute("COMMIT")
        return try output.get()
    }

    /// Bytes of the file that are read as memory. Page by page, each a call of the system, a walk over a large table
    /// takes almost twice as long.
    private static let mappedBytes = 512 << 20

    /// Only for so long: what is mapped counts as the process's memory, and the rest of the work reads little.
    func scanning<Output>(_ body: () throws -> Output) throws -> Output {
        _ = try query("PRAGMA mmap_size = \(Self.mappedBytes)", []) { $0.integer(0) }
        defer { _ = try? query("PRAGMA mmap_size = 0", []) { $0.integer(0) } }
        return try body()
    }
}
