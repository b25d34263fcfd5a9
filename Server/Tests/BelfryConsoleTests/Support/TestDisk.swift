import BelfryStore
import Synchronization

/// A disk that is full when a test says so: nothing can be written then, and everything be read.
final class TestDisk: Sendable {
    private let full = Mutex(false)

    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }
}

/// A database on it.
struct DatabaseOnDisk: SQLDatabase {
    let database: any SQLDatabase
    let disk: TestDisk

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard !disk.isFull else { return completion(.failure(StoreError.full(reason: "The disk is full."))) }
        database.write(turn: turn, body, completion: completion)
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
