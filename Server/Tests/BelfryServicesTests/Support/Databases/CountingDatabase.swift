import BelfryStore
import Synchronization

/// A database that counts how often it is read, and what is asked of it in reads and in writes.
final class CountingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let reads = Mutex(0)
    private let statements = Statements()
    private let questions = Statements()

    var count: Int { reads.withLock { $0 } }
    /// How often each statement ran in a write; one that ran for many rows counts once for each of them.
    var written: [SQLText: Int] { statements.counts.withLock { $0 } }
    /// How often each statement ran in a read.
    var asked: [SQLText: Int] { questions.counts.withLock { $0 } }
    /// The bytes of the texts that all statements got, lists among them.
    var textBytes: Int { [statements, questions].reduce(0) { $0 + $1.bytes.withLock { $0 } } }

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn) { [statements] connection in
            try body(CountingConnection(connection: connection, statements: statements))
        } completion: {
            completion($0)
        }
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        reads.withLock { $0 += 1 }
        return try await database.read { [questions] connection in
            try body(CountingConnection(connection: connection, statements: questions))
        }
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        reads.withLock { $0 += 1 }
        return try await database.ask(question, body)
    }
}

private final class Statements: Sendable {
    let counts = Mutex<[SQLText: Int]>([:])
    let bytes = Mutex(0)

    func note(_ sql: SQLText, _ rows: [[SQLValue]]) {
        counts.withLock { $0[sql, default: 0] += rows.count }
        let length = rows.joined().reduce(0) { sum, value in
            if case .text(let text) = value { sum + text.utf8.count } else { sum }
        }
        bytes.withLock { $0 += length }
    }
}

/// A connection that notes what it is asked for.
private struct CountingConnection: SQLConnection {
    let connection: any SQLConnection
    let statements: Statements

    var dialect: any Dialect { connection.dialect }

    func execute(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        statements.note(sql, [arguments])
        return try connection.execute(sql, arguments)
    }

    func executeEach(_ sql: SQLText, _ rows: [[SQLValue]]) throws -> Int {
        statements.note(sql, rows)
        return try connection.executeEach(sql, rows)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        statements.note(sql, [arguments])
        return try connection.query(sql, arguments, map)
    }

    func query<Element>(
        _ sql: SQLText, _ arguments: [SQLValue], texts: [Int], in room: inout ByteRoom,
        _ map: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        statements.note(sql, [arguments])
        return try connection.query(sql, arguments, texts: texts, in: &room, map)
    }

    func hold(_ contacts: Set<Int64>) throws { try connection.hold(contacts) }

    func holdNew(_ contacts: Set<Int64>) { connection.holdNew(contacts) }

    func scanning<Output>(_ body: () throws -> Output) throws -> Output { try connection.scanning(body) }
}
