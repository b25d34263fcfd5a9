import BelfryStore

/// A connection inside a transaction.
struct PostgresConnection: GroupConnection {
    private static let savepoint: SQLText = "apart"
    /// How many rows one statement inserts, or how many keys one asks for.
    private static let rowsAtOnce = 1_000

    let link: PostgresLink
    /// The errors after which the transaction runs again.
    var repetition = Repetition()
    /// Whether it writes for a caller, so that it runs again with the contacts that it needs. Who only reads sees one
    /// moment, and holds nobody.
    var isWriting = false

    var dialect: any Dialect { PostgresDialect(isDistributed: link.isDistributed) }
    var changes: Int { link.changes }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try link.run(sql, arguments).changes
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        try link.runEach(sql, rows)
    }

    /// The statement is sent with the next one, or with the commit.
    func executeLater(_ sql: SQLText, _ arguments: [SQLValue]) throws {
        try link.writeAhead(PostgresCall(sql, arguments))
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try link.run(sql, arguments).elements(map)
    }

    /// The server limits the bytes and sends no row beyond the limit: libpq holds a whole result in memory before the
    /// first row is read.
    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        guard !texts.isEmpty else { return try query(sql, arguments, map) }
        guard !room.isFull else {
            room.cut()
            return []
        }
        let call = try PostgresCall(
            PostgresSQL.bounded(sql, texts: texts), arguments + [.integer(room.left)], asked: sql
        )
        let result = try link.run(call)
        let elements = try result.elements { row in
            _ = room.take(row.byteCount(texts))
            return try map(row)
        }
        if result.isFollowed { room.cut() }
        return elements
    }

    /// By one statement, whose arguments are arrays. Where several servers hold the database together each key has a
    /// statement of its own, which goes to the server of its rows; all of them are on their way at once.
    func queryEach<Element>(
        _ query: KeyedQuery, _ keys: [[SQLValue]], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        guard keys.count > 1, !link.isDistributed else {
            return try link.runTogether(PostgresCall.each(query.rowSQL, keys[...])).map { try $0.elements(map) }
        }
        return try Self.inChunks(keys) { try queryEach(query, $0, map) }
    }

    private func queryEach<Element>(
        _ query: KeyedQuery, _ keys: ArraySlice<[SQLValue]>, _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        let columns = try PostgresArguments(columnsOf: keys, query.kinds)
        let result = try link.run(PostgresCall(query.arraysSQL, columns: columns))
        let place = result.columns - 1
        var found: [[Element]] = Array(repeating: [], count: keys.count)
        for number in 0..<result.rows {
            let row = PostgresRow(result: result, row: Int32(number))
            found[Int(row.integer(place)) - 1].append(try map(row))
        }
        return found
    }

    func queryTogether<Element>(
        _ statements: [SQLFragment], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        let calls = try statements.map { try PostgresCall($0.sql, $0.arguments) }
        return try link.runTogether(calls).map { try $0.elements(map) }
    }

    /// Runs one statement whose arguments are arrays.
    func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool] {
        guard rows.count > 1 else {
            return try rows.map { try link.run(insert.rowSQL, $0).changes > 0 }
        }
        return try Self.inChunks(rows) { try insertNew(insert, $0) }
    }

    private static func inChunks<Output>(
        _ rows: [[SQLValue]], _ body: (ArraySlice<[SQLValue]>) throws -> [Output]
    ) rethrows -> [Output] {
        try stride(from: 0, to: rows.count, by: rowsAtOnce).flatMap { start in
            try body(rows[start..<min(start + rowsAtOnce, rows.count)])
        }
    }

    private func insertNew(_ insert: KeyedInsert, _ rows: ArraySlice<[SQLValue]>) throws -> [Bool] {
        let columns = try PostgresArguments(columnsOf: rows, insert.columns.map(\.kind))
        let result = try link.run(PostgresCall(insert.arraysSQL, columns: columns))
        // Usually all rows are new, and nothing more has to be found out.
        guard result.rows < rows.count else { return Array(repeating: true, count: rows.count) }
        let kinds = insert.key.map { insert.columns[$0].kind }
        // Of two rows with the same key, the first was written.
        var written = Set(
            try result.elements { row in kinds.enumerated().map { row.value($0.offset, $0.element).inBytes } }
        )
        return rows.map { row in written.remove(insert.key.map { row[$0].inBytes }) != nil }
    }

    func hold(_ contacts: Set<Int64>) throws {
        guard isWriting, link.isDistributed else { return }
        link.locks.need(contacts)
        try link.locks.check()
    }

    func holdNew(_ contacts: Set<Int64>) {
        link.locks.make(contacts)
    }

    func inSavepoint(_ body: () throws -> Void) throws {
        link.savepoint(Self.savepoint)
        do {
            try body()
            try link.release(Self.savepoint)
        } catch {
            // The transaction is over after such an error, even if the body has caught it.
            if let error = link.transactionError, repetition.isOfAll(error) { throw error }
            if link.isOpen, link.isInTransaction { try link.rollBack(to: Self.savepoint) }
            throw link.isOpen ? error : link.transactionError ?? error
        }
    }

    /// After an error the server does nothing more in a transaction. A body that caught the error did less than it
    /// reports. So does one that caught that a contact is not held.
    func confirm() throws {
        try link.locks.check()
        if let error = link.transactionError { throw error }
    }

    func isRejection(_ error: any Error) -> Bool {
        link.transactionError != nil
    }

    /// Throws if an error ends the whole transaction: a contact that is not held, a conflict with another transaction, a
    /// key that another may just have taken, a lost connection, or a server that takes no writes.
    func checkTransaction(_ error: any Error) throws {
        try link.locks.check()
        if let error = link.transactionError, repetition.isOfAll(error) { throw error }
        if let error = error as? PostgresError, repetition.isOfAll(error) { throw error }
        if !link.isInTransaction { throw error }
    }
}

extension SQLValue {
    /// The value with texts as their bytes: two texts that are equal in Swift may be two keys in a database.
    fileprivate var inBytes: SQLValue {
        if case .text(let text) = self { .blob(Array(text.utf8)) } else { self }
    }
}

extension SQLRow {
    fileprivate func value(_ column: Int, _ kind: TableShape.Kind) -> SQLValue {
        if isNull(column) { return .null }
        return switch kind {
        case .integer: .integer(integer(column))
        case .real: .real(Double(text(column)) ?? 0)
        case .text: .text(text(column))
        case .bytes: .blob(blob(column))
        }
    }
}
