import BelfryStore
import Synchronization

/// The database as a process sees it that something ends: amid the write that meets it. That write comes to nothing, and
/// nothing that the process does afterwards reaches the store; what was committed before stays.
final class TrappingDatabase: SQLDatabase {
    struct Ended: Error {}

    private let database: any SQLDatabase
    private let trap: @Sendable (any SQLConnection) throws -> Bool
    private let ended = Mutex(false)

    /// Whether the process has ended.
    var hasEnded: Bool { ended.withLock { $0 } }

    /// - Parameter trap: asked in each write behind its body.
    init(_ database: any SQLDatabase, trap: @escaping @Sendable (any SQLConnection) throws -> Bool) {
        self.database = database
        self.trap = trap
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard !hasEnded else { return completion(.failure(Ended())) }
        database.write(turn: turn) { [self] connection in
            let output = try body(connection)
            guard try !hasEnded && !trap(connection) else {
                ended.withLock { $0 = true }
                throw Ended()
            }
            return output
        } completion: {
            completion($0)
        }
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        guard !hasEnded else { throw Ended() }
        return try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        guard !hasEnded else { throw Ended() }
        return try await database.ask(question, body)
    }
}
