import BelfryStore
import Synchronization

/// A database around which something happens: right after somebody has read what a test waits for.
final class InterruptedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let word: String
    private let action: @Sendable () async throws -> Void
    private let isRepeated: Bool
    private let isOver = Mutex(false)

    /// - Parameters:
    ///   - word: part of the name of the type that is read.
    ///   - isRepeated: whether it happens each time, and not only the first.
    ///   - action: what happens before the reader continues.
    init(
        _ database: any SQLDatabase, after word: String, isRepeated: Bool = false,
        action: @escaping @Sendable () async throws -> Void
    ) {
        self.database = database
        self.word = word
        self.isRepeated = isRepeated
        self.action = action
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await interrupted { try await database.read(body) }
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await interrupted { try await database.ask(question, body) }
    }

    private func interrupted<Output: Sendable>(_ reading: () async throws -> Output) async throws -> Output {
        let output = try await reading()
        guard String(describing: Output.self).contains(word) else { return output }
        let isDue = isOver.withLock { isOver in
            defer { isOver = true }
            return isRepeated || !isOver
        }
        if isDue { try await action() }
        return output
    }
}
