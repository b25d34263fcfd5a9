import BelfryStore
import Foundation
import Synchronization

/// A database that takes so many more writes as a test says: what comes after them is as if the process had died.
final class WriteBound: SQLDatabase {
    private let database: any SQLDatabase
    /// nil: any number.
    private let room = Mutex<Int?>(nil)

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// - Parameter writes: so many are still taken; nil: any number.
    func take(_ writes: Int?) {
        room.withLock { $0 = writes }
    }

    private static let error = StoreError.tryAgain(reason: "the database is away")

    private func takesWrite() -> Bool {
        room.withLock { room in
            guard let left = room else { return true }
            guard left > 0 else { return false }
            room = left - 1
            return true
        }
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard takesWrite() else { return completion(.failure(Self.error)) }
        database.write(turn: turn, body, completion: completion)
    }

    func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        guard takesWrite() else { return completion(.failure(Self.error)) }
        database.write(item, of: call, turn: turn, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await database.read(body)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.read(body, completion: completion)
    }

    func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.read(item, of: call, completion: completion)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await database.ask(question, body)
    }

    func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep {
        try await database.keepPartitions(of: table, at: now, droppingBefore: moment)
    }
}
