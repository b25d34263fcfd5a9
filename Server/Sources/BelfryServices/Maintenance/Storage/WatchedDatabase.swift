import BelfryStore
import Foundation
import ServiceLifecycle

/// A database that tells a watch how its work ends.
package struct WatchedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let watch: StorageWatch

    package init(_ database: any SQLDatabase, watch: StorageWatch) {
        self.database = database
        self.watch = watch
    }

    package func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body) { [watch] result in
            watch.note(write: result)
            completion(result)
        }
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        do {
            let output = try await database.read(body)
            watch.note(read: .success(output))
            return output
        } catch {
            watch.note(read: Result<Output, any Error>.failure(error))
            throw error
        }
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.read(body) { [watch] result in
            watch.note(read: result)
            completion(result)
        }
    }

    package func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(item, of: call, turn: turn) { [watch] result in
            watch.note(write: result)
            completion(result)
        }
    }

    package func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.read(item, of: call) { [watch] result in
            watch.note(read: result)
            completion(result)
        }
    }

    /// What is asked ends when the process is told to stop: nothing is lost with it, and it may take long.
    package func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        do {
            let output = try await cancelWhenGracefulShutdown { [database] in try await database.ask(question, body) }
            watch.note(read: .success(output))
            return output
        } catch is CancellationError where !Task.isCancelled {
            throw StoreError.tryAgain(reason: "the server is being stopped")
        } catch {
            // That nobody may ask more is no fault of the database.
            if !error.meansOverload { watch.note(read: Result<Output, any Error>.failure(error)) }
            throw error
        }
    }

    /// What somebody's lock is in the way of is no fault of the database, and nobody waits for it.
    package func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep {
        try await database.keepPartitions(of: table, at: now, droppingBefore: moment)
    }
}
