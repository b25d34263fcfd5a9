import BelfryStore
import Synchronization

/// The database as a process sees it that dies: from one write on, nothing it does reaches the store any more.
final class MortalDatabase: SQLDatabase {
    struct Dead: Error {}

    private let database: any SQLDatabase
    private let isLastWrite: @Sendable (any SQLConnection) throws -> Bool
    private let onDeath: @Sendable () -> Void
    private let isDead = Mutex(false)

    /// - Parameters:
    ///   - isLastWrite: asked after each write.
    ///   - onDeath: what happens around a dead process.
    init(
        _ database: any SQLDatabase, isLastWrite: @escaping @Sendable (any SQLConnection) throws -> Bool,
        onDeath: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.isLastWrite = isLastWrite
        self.onDeath = onDeath
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard !isDead.withLock({ $0 }) else { return completion(.failure(Dead())) }
        database.write(turn: turn) { [isLastWrite] connection in
            let output = try body(connection)
            return (output, try isLastWrite(connection))
        } completion: { [self] result in
            if case .success((_, true)) = result {
                isDead.withLock { $0 = true }
                onDeath()
            }
            completion(result.map(\.0))
        }
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        guard !isDead.withLock({ $0 }) else { throw Dead() }
        return try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        guard !isDead.withLock({ $0 }) else { throw Dead() }
        return try await database.ask(question, body)
    }
}
