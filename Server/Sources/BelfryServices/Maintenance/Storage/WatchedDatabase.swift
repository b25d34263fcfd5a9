import BelfryStore
import Foundation
import ServiceLifecycle

/// A database that reports the result of its work to a watch.
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

    /// A question is cancelled when the process is told to stop: it may take long, and nothing is lost.
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
            // The limit of simultaneous questions says nothing about the database's health.
            if !error.meansOverload { watch.note(read: Result<Output, any Error>.failure(error)) }
            throw error
        }
    }

    /// Nobody waits for this work, and a lock that prevents it says nothing about the database's health. So the watch
    /// is not informed.
    package func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep {
        try await database.keepPartitions(of: table, at: now, droppingBefore: moment)
    }
}
