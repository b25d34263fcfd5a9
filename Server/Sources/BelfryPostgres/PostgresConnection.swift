import BelfryStore

/// A connection inside a transaction.
struct PostgresConnection: GroupConnection {
    private static let savepoint: SQLText = "apart"

    let link: PostgresLink

    var dialect: any Dialect { PostgresDialect() }
    var changes: Int { link.changes }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try link.run(sql, arguments).changes
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        try link.runEach(sql, rows)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        let result = try link.run(sql, arguments)
        return try (0..<result.rows).map { try map(PostgresRow(result: result, row: Int32($0))) }
    }

    func inSavepoint(_ body: () throws -> Void) throws {
        try link.command("SAVEPOINT \(Self.savepoint)")
        do {
            try body()
        } catch {
            if link.isOpen, link.isInTransaction { try link.rollBack(to: Self.savepoint) }
            throw link.isOpen ? error : link.transactionError ?? error
        }
        try link.command("RELEASE SAVEPOINT \(Self.savepoint)")
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
