import BelfryStore
import Synchronization

/// A database whose writes wait until a test lets them go.
final class HeldDatabase: SQLDatabase {
    private struct State {
        var isHeld = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let database: any SQLDatabase
    private let state = Mutex(State())

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// How many writes wait.
    var count: Int { state.withLock { $0.waiting.count } }

    func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Returns when the held writes are done and their callers have been resumed.
    func letGo() async throws {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for write in waiting { write() }
        // Writes are done in their order.
        try await database.write { _ in }
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let write: @Sendable () -> Void = { [database] in
            database.write(turn: turn, body, completion: completion)
        }
        let isHeld = state.withLock { state in
            if state.isHeld { state.waiting.append(write) }
            return state.isHeld
        }
        if !isHeld { write() }
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
