import BelfryStore
import Synchronization

/// A database that counts how often it is read.
final class CountingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let reads = Mutex(0)

    var count: Int { reads.withLock { $0 } }

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    func write<Output: Sendable>(
        turn: WriteTurn, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        reads.withLock { $0 += 1 }
        return try await database.read(body)
    }
}
