import BelfryStore

/// A database that tells a watch how its work ends.
package struct WatchedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let watch: StorageWatch

    package init(_ database: any SQLDatabase, watch: StorageWatch) {
        self.database = database
        self.watch = watch
    }

    package func write<Output: Sendable>(
        turn: WriteTurn, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
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
}
