/// One connection inside a transaction; it must not leave the closure that received it.
///
/// SQL is written once for every engine: `?` stands for an argument, and what differs comes from ``Dialect``.
package protocol SQLConnection {
    var dialect: any Dialect { get }

    /// Runs one statement; returns how many rows it changed.
    @discardableResult
    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int

    /// Runs one statement for each row of arguments; returns how many rows were changed together.
    @discardableResult
    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int

    /// Runs a write of which nobody asks how many rows it has changed: it may go out with what follows. What the engine
    /// refuses of it comes there, or fails the commit.
    func executeLater(_ sql: SQLText, _ arguments: [SQLValue]) throws

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element]

    /// The first rows of a statement, as far as there is room for their long texts. What lies behind them is never in
    /// memory, however much it is (SEC-2).
    ///
    /// - Parameter texts: the places of the columns that count, which are texts.
    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element]

    /// Asks for each of some keys, which are rows of arguments; what was found for each, in their order.
    func queryEach<Element>(
        _ query: KeyedQuery, _ keys: [[SQLValue]], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]]

    /// Runs several statements of which none needs what another gives: they may go out together. What each gave, in their
    /// order.
    func queryTogether<Element>(
        _ statements: [SQLFragment], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]]

    /// Inserts rows whose keys are not there; tells of each whether it was new. Of two with one key the first is.
    func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool]

    /// Runs a body that reads most of a large table, in whatever way the engine reads most quickly.
    func scanning<Output>(_ body: () throws -> Output) throws -> Output
}

extension SQLConnection {
    package func scanning<Output>(_ body: () throws -> Output) throws -> Output { try body() }

    package func executeLater(_ sql: SQLText, _ arguments: [SQLValue]) throws {
        try execute(sql, arguments)
    }

    package func queryEach<Element>(
        _ query: KeyedQuery, _ keys: [[SQLValue]], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        try keys.map { try self.query(query.rowSQL, $0, map) }
    }

    package func queryTogether<Element>(
        _ statements: [SQLFragment], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]] {
        try statements.map { try self.query($0.sql, $0.arguments, map) }
    }

    package func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool] {
        try rows.map { try execute(insert.rowSQL, $0) > 0 }
    }
}

extension SQLConnection {
    @discardableResult
    package func execute(_ sql: SQLText) throws -> Int {
        try execute(sql, [])
    }

    package func first<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> Element? {
        try query(sql, arguments, map).first
    }
}
