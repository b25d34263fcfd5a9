import BelfryStore
import Dispatch
import Foundation
import GRDB
import Synchronization

/// The embedded store: one SQLite file in WAL mode, with every commit synced (WIRE-26, STO-1).
///
/// Writes that arrive during a commit wait together and share the next one (group commit). A write that fails changes
/// nothing and does not affect the others.
package final class SQLiteDatabase: SQLDatabase {
    /// How long patient writes wait for other writes to join their transaction.
    private static let rest = DispatchTimeInterval.milliseconds(5)

    /// How long a connection waits for another's lock, in seconds.
    private static let busyTimeout: TimeInterval = 10

    /// How many long reads run at the same time.
    private static let readers = 5
    /// How many quick reads run at the same time: more than there are processors would only take turns.
    static let quickReaders = max(ProcessInfo.processInfo.activeProcessorCount, 2)

    private let pool: DatabasePool
    private let waiting = Mutex(WaitingWrites())
    private let durability: Durability
    /// Whether the writer's commits wait for the disk.
    private let syncs = Mutex(true)
    private let reads: ReadLane
    private let quickReads: ReadLane
    private let idleReaders: IdleReaders
    private let questions: QuestionLane
    private let questionReaders: QuestionReaders
    private let log: WriteAheadLog
    private let files: DatabaseFiles
    private let onError: @Sendable (_ word: String) -> Void

    /// Which commits survive a crash of the machine.
    package enum Durability: Sendable {
        /// Each commit that asks for it survives (WIRE-26).
        case commits
        /// None survives: for stores that are not used after their process.
        case nothing
    }

    /// Opens or makes the file and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - limits: the limits on predicates.
    ///   - onError: gets SQLite's error as a word, once for each read or write that fails.
    package init(
        path: String, durability: Durability = .commits, questions limits: QuestionLimits,
        onError: @escaping @Sendable (_ word: String) -> Void = { _ in }
    ) throws {
        self.durability = durability
        self.onError = onError
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.maximumReaderCount = Self.readers + Self.quickReaders
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        reads = ReadLane(pool, readers: Self.readers)
        quickReads = ReadLane(pool, readers: Self.quickReaders)
        // Only now, because opening the pool sets NORMAL, with which a power failure loses the last commits.
        try pool.writeWithoutTransaction { database in
            let mode: SQLText =
                durability == .nothing ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = FULL"
            try database.execute(sql: mode.statement)
            let checkpoints: SQLText = "PRAGMA wal_autocheckpoint = \(WriteAheadLog.checkpointPages)"
            try database.execute(sql: checkpoints.statement)
            let limit: SQLText = "PRAGMA journal_size_limit = \(WriteAheadLog.keptBytes)"
            try database.execute(sql: limit.statement)
        }
        try pool.write { try SQLiteConnection(database: $0).migrate() }
        idleReaders = try IdleReaders(path: path, count: Self.quickReaders)
        questions = QuestionLane(limits)
        questionReaders = try QuestionReaders(path: path, limits)
        log = WriteAheadLog(ofDatabaseAt: path)
        files = DatabaseFiles(ofDatabaseAt: path)
    }

    /// How many questions are running, and how many wait.
    package var questionUse: QuestionLaneUse { questions.use }

    /// The error as the caller sees it. SQLite's own error is counted here, where it leaves the store.
    private func mapped(_ error: any Error) -> any Error {
        if let error = error as? DatabaseError { onError(error.word) }
        return StoreError.mapped(error)
    }

    /// The size in bytes of the log beside the file.
    package var logBytes: Int64 { log.bytes }

    /// Copies the log into the file and frees its space, when the writer is free. A commit copies the log when it is
    /// long enough, but never does if the disk has become full before.
    package func settle() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result { try WriteAheadLog.giveBack(in: database, busyTimeout: Self.busyTimeout) }
                        .mapError { self.mapped($0) }
                )
            }
        }
    }

    package func close() throws {
        try idleReaders.close()
        try questionReaders.close()
        try pool.close()
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            reads.add(body) { continuation.resume(with: $0.mapError { self.mapped($0) }) }
        }
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        if let result = idleReaders.read(body) { return completion(result.mapError { self.mapped($0) }) }
        quickReads.add(body) { completion($0.mapError { self.mapped($0) }) }
    }

    package func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await questions.ask(question) { run, completion in
            questionReaders.answer(question, run, body) { completion($0.mapError { self.mapped($0) }) }
        }
    }

    package func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let write = Write(
            isSynced: turn.isSynced, body: body, mapError: { self.mapped($0) }, completion: completion
        )
        if waiting.withLock({ $0.add(write, turn: turn) }) { askForTurn() }
    }

    private func askForTurn() {
        pool.asyncWriteWithoutTransaction { self.takeTurn($0) }
    }

    private func takeTurn(_ database: GRDB.Database) {
        switch waiting.withLock({ $0.take() }) {
        case .commit(let group):
            commit(group, in: database)
            askForTurn()
        case .rest:
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.rest) {
                if self.waiting.withLock({ $0.wake() }) { self.askForTurn() }
            }
        case .nothing:
            break
        }
    }

    private func commit(_ group: [any PendingWrite], in database: GRDB.Database) {
        do {
            try files.check()
            try sync(group.contains(where: \.isSynced), in: database)
            // A write seldom fails after it changed something. Then the others run again, each in a savepoint.
            if try !run(group, in: database, apart: false), group.count > 1 {
                _ = try run(group, in: database, apart: true)
            }
            // If the files are gone, so is what was committed.
            try files.check()
            for write in group { write.finish() }
        } catch {
            for write in group { write.fail(error) }
        }
    }

    /// Sets whether the next commits wait for the disk. A commit that waits also makes earlier ones durable.
    private func sync(_ isSynced: Bool, in database: GRDB.Database) throws {
        guard durability == .commits, syncs.withLock({ $0 != isSynced }) else { return }
        let mode: SQLText = isSynced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"
        try database.execute(sql: mode.statement)
        syncs.withLock { $0 = isSynced }
    }

    /// Runs the group in one transaction.
    ///
    /// - Returns: false when a write has failed after it changed something: then the changes of all writes were undone.
    private func run(_ group: [any PendingWrite], in database: GRDB.Database, apart: Bool) throws -> Bool {
        var isClean = true
        try database.inTransaction(.immediate) {
            let connection = SQLiteConnection(database: database)
            for write in group {
                isClean = try apart ? write.runApart(in: connection) : write.run(in: connection)
                guard isClean else { return .rollback }
            }
            return .commit
        }
        return isClean
    }
}

extension StoreError {
    /// Maps SQLite's errors to those that the layers above act on; any other error stays unchanged.
    static func mapped(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_FULL:
            return StoreError.full(reason: error.description)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CANTOPEN,
            .SQLITE_READONLY, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT:
            return StoreError.tryAgain(reason: error.description)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return StoreError.damaged(reason: error.description)
        case .SQLITE_CONSTRAINT:
            return StoreError.rejected(reason: error.description)
        default:
            return error
        }
    }
}
