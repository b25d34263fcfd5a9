import BelfryStore

/// A connection inside a transaction.
struct PostgresConnection: GroupConnection {
    private static let savepoint: SQLText = "apart"
    /// Rows that one statement inserts.
    private static let rowsAtOnce = 1_000

    let link: PostgresLink

    var dialect: any Dialect { PostgresDialect() }
    var changes: Int { link.changes }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try link.run(sql, arguments).changes
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        try link.runEach(sql, rows)
    }

    /// With the next statement, or with the commit.
    func executeLater(_ sql: SQLText, _ arguments: [SQLValue]) throws {
        try link.writeAhead(PostgresCall(sql, arguments))
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try link.run(sql, arguments).elements(map)
    }

    /// All of them are on their way at once.
    func queryEach<Element>(
        _ sql: SQLText, _ rows: [[SQLValue]], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        var results: [PostgresResult] = []
        results.reserveCapacity(rows.count)
        try link.runEach(sql, rows) { results.append($0) }
        return try results.map { try $0.elements(map) }
    }

    /// By one statement, whose arguments are arrays.
    func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool] {
        guard rows.count > 1 else {
            return try rows.map { try link.run(insert.rowSQL, $0).changes > 0 }
        }
        var isNew: [Bool] = []
        isNew.reserveCapacity(rows.count)
        var position = 0
        while position < rows.count {
            let chunk = rows[position..<min(position + Self.rowsAtOnce, rows.count)]
            isNew += try insertNew(insert, chunk)
            position += chunk.count
        }
        return isNew
    }

    private func insertNew(_ insert: KeyedInsert, _ rows: ArraySlice<[SQLValue]>) throws -> [Bool] {
        let columns = try PostgresArguments(columnsOf: rows, insert.columns.map(\.kind))
        let result = try link.run(PostgresCall(insert.arraysSQL, columns: columns))
        // Most of the time all are new, and nobody has to look which.
        guard result.rows < rows.count else { return Array(repeating: true, count: rows.count) }
        let kinds = insert.key.map { insert.columns[$0].kind }
        // Of two with one key the first was written.
        var written = Set(
            try result.elements { row in kinds.enumerated().map { row.value($0.offset, $0.element) } }
        )
        return rows.map { row in written.remove(insert.key.map { row[$0] }) != nil }
    }

    func inSavepoint(_ body: () throws -> Void) throws {
        link.savepoint(Self.savepoint)
        do {
            try body()
            try link.release(Self.savepoint)
        } catch {
            if link.isOpen, link.isInTransaction { try link.rollBack(to: Self.savepoint) }
            throw link.isOpen ? error : link.transactionError ?? error
        }
    }

    /// After a refusal the server does nothing more, so a body that got over one has done less than it says.
    func confirm() throws {
        if let error = link.transactionError { throw error }
    }

    func isRejection(_ error: any Error) -> Bool {
        link.transactionError != nil
    }

    /// A conflict with another transaction, or a lost connection, takes the whole transaction along.
    func checkTransaction(_ error: any Error) throws {
        if let error = link.transactionError, error.isConflict || error.isLost { throw error }
        if let error = error as? PostgresError, error.isConflict || error.isLost { throw error }
        if !link.isInTransaction { throw error }
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
