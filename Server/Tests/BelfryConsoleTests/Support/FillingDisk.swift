import BelfryStore
import Synchronization

/// A disk that is full when a test says so: nothing can be written then, and everything be read.
final class FillingDisk: Sendable {
    /// So many writes it still takes; nil: any number.
    private let room = Mutex<Int?>(nil)
    private let readCount = Mutex(0)

    var isFull: Bool {
        get { room.withLock { $0 == 0 } }
        set { room.withLock { $0 = newValue ? 0 : nil } }
    }

    /// It takes so many more writes: what comes after them is as if the process had died.
    func fill(after writes: Int) {
        room.withLock { $0 = writes }
    }

    /// Whether it takes a write now.
    fileprivate func takesWrite() -> Bool {
        room.withLock { room in
            guard let left = room else { return true }
            guard left > 0 else { return false }
            room = left - 1
            return true
        }
    }

    /// How often something was read.
    var reads: Int { readCount.withLock { $0 } }

    fileprivate func noteRead() { readCount.withLock { $0 += 1 } }
}

/// A database on it.
struct DatabaseOnDisk: SQLDatabase {
    let database: any SQLDatabase
    let disk: FillingDisk

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard disk.takesWrite() else { return completion(.failure(StoreError.full(reason: "The disk is full."))) }
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        disk.noteRead()
        return try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await database.ask(question, body)
    }
}
