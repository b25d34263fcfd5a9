import BelfryStore
import Synchronization

/// A database around which something happens once: right after somebody has read what a test waits for.
final class InterruptedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let word: String
    private let action: @Sendable () async throws -> Void
    private let isOver = Mutex(false)

    /// - Parameters:
    ///   - word: part of the name of the type that is read.
    ///   - action: what happens before the reader goes on.
    init(_ database: any SQLDatabase, after word: String, action: @escaping @Sendable () async throws -> Void) {
        self.database = database
        self.word = word
        self.action = action
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
        let output = try await database.read(body)
        guard String(describing: Output.self).contains(word) else { return output }
        let isDue = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isDue { try await action() }
        return output
    }
}
