/// A database engine as the repositories see it: transactions of plain SQL.
///
/// A write that returns is durable (WIRE-26). Writes that arrive together may share one commit; each is still
/// atomic by itself, and one that throws leaves nothing behind.
package protocol SQLDatabase: Sendable {
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result

    /// A consistent view of what is committed.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result
}

/// One connection inside a transaction; it must not leave the closure that received it.
///
/// SQL is written once for every engine: `?` stands for an argument, and what differs comes from ``Dialect``.
package protocol SQLConnection {
    var dialect: any Dialect { get }

    /// Runs one statement; returns how many rows it changed.
    @discardableResult
    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs one statement for each row of arguments; returns how many rows were changed together.
    @discardableResult
    func executeEach(_ sql: String, _ rows: [[SQLValue]]) throws -> Int

    func query<Element>(
        _ sql: String, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element]
}

extension SQLConnection {
    @discardableResult
    package func execute(_ sql: String) throws -> Int {
        try execute(sql, [])
    }

    package func first<Element>(
        _ sql: String, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> Element? {
        try query(sql, arguments, map).first
    }
}
