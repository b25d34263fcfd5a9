/// One connection inside a transaction; it must not leave the closure that received it.
///
/// SQL is written once for all engines: `?` stands for an argument, and ``Dialect`` provides the differences.
package protocol SQLConnection {
    var dialect: any Dialect { get }

    /// Runs one statement; returns how many rows it changed.
    @discardableResult
    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int

    /// Runs one statement for each row of arguments; returns how many rows were changed in total.
    @discardableResult
    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int

    /// Runs a write whose number of changed rows is not needed: it may be sent together with later statements. An error
    /// of the engine is thrown by a later statement, or fails the commit.
    func executeLater(_ sql: SQLText, _ arguments: [SQLValue]) throws

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element]

    /// The first rows of a statement, as many as have room for their long texts. Later rows are never in memory,
    /// however many they are (SEC-2).
    ///
    /// - Parameter texts: the positions of the text columns whose bytes count.
    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element]

    /// Runs a query for each of some keys, which are rows of arguments; returns the rows found for each, in order.
    func queryEach<Element>(
        _ query: KeyedQuery, _ keys: [[SQLValue]], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]]

    /// Runs several statements that do not depend on each other's results, so they may be sent together. Returns their
    /// results in order.
    func queryTogether<Element>(
        _ statements: [SQLFragment], _ map: (any SQLRow) throws -> Element
    ) throws -> [[Element]]

    /// Inserts rows whose keys do not exist yet; returns for each row whether it was new. Of two rows with the same
    /// key, the first is.
    func insertNew(_ insert: KeyedInsert, _ rows: [[SQLValue]]) throws -> [Bool]

    /// Keeps all other writes that name one of these contacts away until the commit, where several servers hold the
    /// database together (FLEET-5); elsewhere nothing has to be done. There each server judges its own part of a
    /// transaction, so a write that touches rows of a device and of a contact, or of two contacts, names the contacts.
    ///
    /// A write names contacts by what it has read itself, before it changes anything: then it runs again with their locks,
    /// and what it reads is what their former holders have left. So if it gets past this, its devices still have them.
    func hold(_ contacts: Set<Int64>) throws

    /// Notes contacts that this transaction has made. Nobody else knows them, so there is nobody to keep away.
    func holdNew(_ contacts: Set<Int64>)

    /// Runs a body that reads most of a large table, in the way that is quickest for the engine.
    func scanning<Output>(_ body: () throws -> Output) throws -> Output
}

extension SQLConnection {
    package func scanning<Output>(_ body: () throws -> Output) throws -> Output { try body() }

    package func hold(_ contacts: Set<Int64>) throws {}

    package func holdNew(_ contacts: Set<Int64>) {}

    /// Holds contacts of which it takes statements to find out who they are. Elsewhere nobody asks.
    package func hold(finding contacts: () throws -> [Int64?]) throws {
        guard dialect.isDistributed else { return }
        try hold(Set(contacts().compactMap(\.self)))
    }

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
