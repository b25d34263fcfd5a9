import BelfryStore
import Synchronization

/// A database whose writes fail as a test says, as if the engine had refused what they ask for.
final class FaultyDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let fault: @Sendable (any SQLConnection) throws -> Void
    private let failures = Mutex(0)

    /// How many writes have failed.
    var count: Int { failures.withLock { $0 } }

    /// - Parameter fault: throws if a write is to fail; called after the write, in its transaction.
    init(_ database: any SQLDatabase, fault: @escaping @Sendable (any SQLConnection) throws -> Void) {
        self.database = database
        self.fault = fault
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn) { [fault] connection in
            let output = try body(connection)
            try fault(connection)
            return output
        } completion: { [self] result in
            if case .failure = result { failures.withLock { $0 += 1 } }
            completion(result)
        }
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await database.ask(question, body)
    }
}
