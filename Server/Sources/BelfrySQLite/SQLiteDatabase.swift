import BelfryStore
import Foundation
import GRDB
import Synchronization

/// The embedded store: one SQLite file in WAL mode, every commit synced (WIRE-26, STO-1).
///
/// Writes that arrive while a commit is under way wait together and share the next one (group commit): each runs
/// in a savepoint of its own, so one that fails leaves nothing behind and does not touch the others.
package final class SQLiteDatabase: SQLDatabase {
    /// How many writes share a commit at most; bounds how long the first of them waits.
    static let maximumGroup = 512

    private let pool: DatabasePool
    private let waiting = Mutex<[any PendingWrite]>([])

    /// Opens or makes the file and brings its schema up to date.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // Only now: to open the pool sets NORMAL, with which a power cut takes the last commits along.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try pool.write { try SQLiteConnection(database: $0).migrate() }
    }

    package func close() throws {
        try pool.close()
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await pool.read { try body(SQLiteConnection(database: $0)) }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                waiting.append(Write(body: body, continuation: continuation))
                return waiting.count == 1
            }
            // Whoever finds the list empty asks for a turn of the writer; the others ride along.
            if isFirst { pool.asyncWriteWithoutTransaction { self.commitWaiting($0) } }
        }
    }

    private func commitWaiting(_ database: GRDB.Database) {
        let (group, more) = waiting.withLock { waiting in
            let group = Array(waiting.prefix(Self.maximumGroup))
            waiting.removeFirst(group.count)
            return (group, !waiting.isEmpty)
        }
        commit(group, in: database)
        if more { pool.asyncWriteWithoutTransaction { self.commitWaiting($0) } }
    }

    private func commit(_ group: [any PendingWrite], in database: GRDB.Database) {
        do {
            try database.inTransaction(.immediate) {
                for write in group { try write.run(in: database, alone: group.count == 1) }
                return .commit
            }
            for write in group { write.finish() }
        } catch {
            for write in group { write.fail(error) }
        }
    }
}

/// A write whose result waits for the commit.
private protocol PendingWrite: AnyObject, Sendable {
    /// Throws only when the whole group has failed.
    func run(in database: GRDB.Database, alone: Bool) throws
    func finish()
    func fail(_ error: any Error)
}

// The outcome is touched on the writer's queue only: run, then finish or fail.
private final class Write<Value: Sendable>: PendingWrite, @unchecked Sendable {
    let body: @Sendable (any SQLConnection) throws -> Value
    let continuation: CheckedContinuation<Value, any Error>
    private var outcome: Result<Value, any Error>?

    init(
        body: @escaping @Sendable (any SQLConnection) throws -> Value,
        continuation: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.continuation = continuation
    }

    func run(in database: GRDB.Database, alone: Bool) throws {
        let connection = SQLiteConnection(database: database)
        if alone {
            outcome = .success(try body(connection))
            return
        }
        do {
            try database.inSavepoint {
                outcome = .success(try body(connection))
                return .commit
            }
        } catch {
            outcome = .failure(error)
            // A full disk and the like end the transaction itself: then nobody's write has happened.
            if !database.isInsideTransaction { throw error }
        }
    }

    func finish() {
        guard let outcome else { return fail(StoreError.corrupted(table: "write", key: "no outcome")) }
        continuation.resume(with: outcome)
    }

    func fail(_ error: any Error) {
        if case .failure(let own)? = outcome { return continuation.resume(throwing: own) }
        continuation.resume(throwing: error)
    }
}
