import BelfryStore
import Synchronization

/// The database as a process sees it that dies: from one write on, nothing it does reaches the store any more.
final class MortalDatabase: SQLDatabase {
    struct Dead: Error {}

    private let database: any SQLDatabase
    private let isLastWrite: @Sendable (any SQLConnection) throws -> Bool
    private let onDeath: @Sendable () -> Void
    private let isDead = Mutex(false)

    /// - Parameters:
    ///   - isLastWrite: asked after each write.
    ///   - onDeath: what happens around a dead process.
    init(
        _ database: any SQLDatabase, isLastWrite: @escaping @Sendable (any SQLConnection) throws -> Bool,
        onDeath: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.isLastWrite = isLastWrite
        self.onDeath = onDeath
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        guard !isDead.withLock({ $0 }) else { throw Dead() }
        let result = try await database.write(body)
        if try await database.read(isLastWrite) {
            isDead.withLock { $0 = true }
            onDeath()
        }
        return result
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        guard !isDead.withLock({ $0 }) else { throw Dead() }
        return try await database.read(body)
    }
}
