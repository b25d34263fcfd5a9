import BelfryStore
import Dispatch
import Foundation
import Synchronization

/// The store on a PostgreSQL server, which several processes may share (STO-2).
///
/// Writes that wait share a transaction, as on SQLite, but several of these run at once. All are SERIALIZABLE: one that
/// another stood in the way of runs again, so that what a body has found is still true when it writes. Reads see one
/// moment.
package final class PostgresDatabase: SQLDatabase {
    /// How long patient writes wait for others that may be about to come.
    private static let rest = DispatchTimeInterval.milliseconds(5)
    /// Two groups that wait for each other's rows give way sooner than the server sees that they do.
    private static let writing: SQLText = "ISOLATION LEVEL SERIALIZABLE; SET LOCAL lock_timeout = '100ms'"
    private static let writingAlone: SQLText = "ISOLATION LEVEL SERIALIZABLE"
    /// Behind either of them: the commit is told of before it is on the disk.
    private static let unsynced: SQLText = "; SET LOCAL synchronous_commit TO OFF"
    private static let reading: SQLText = "ISOLATION LEVEL REPEATABLE READ READ ONLY"

    /// A write has failed and left something behind, so its transaction is undone.
    private struct Unclean: Error {}

    private let settings: PostgresSettings
    private let writers: PostgresLines
    private let readers: PostgresLines
    private let waiting: Mutex<WaitingWrites>
    /// Lets all writers in, or one alone that others have stood in the way of before.
    private let gate = DispatchQueue(label: "belfry.postgres.gate", attributes: .concurrent)
    private let repetitions = Mutex(0)

    /// Enters the database and brings its schema up to date, while no other process does.
    ///
    /// - Throws: ``PostgresOpeningError``, or ``StoreError/newerSchema(found:known:)``.
    package init(_ settings: PostgresSettings) throws {
        self.settings = settings
        waiting = Mutex(WaitingWrites(writers: settings.writers))
        writers = PostgresLines("writer", count: settings.writers, settings)
        readers = PostgresLines("reader", count: settings.connections - settings.writers, settings)
        try PostgresOpening(settings).run()
    }

    /// Ends the connections after what is under way; whoever comes later is refused.
    package func close() {
        writers.close()
        readers.close()
    }

    /// How often a transaction had to run again.
    package var repeated: Int { repetitions.withLock { $0 } }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            readers.use { line in
                let result = Result { try self.read(body, on: line) }
                continuation.resume(with: result.mapError { StoreError.told(postgres: $0) })
            }
        }
    }

    package func write<Output: Sendable>(
        turn: WriteTurn, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let write = Write(
            isSynced: turn.isSynced, body: body, told: { StoreError.told(postgres: $0) }, completion: completion
        )
        if waiting.withLock({ $0.add(write, turn: turn) }) { askForTurn() }
    }

    private func read<Output>(_ body: (any SQLConnection) throws -> Output, on line: PostgresLine) throws -> Output {
        try repeating { _ in
            try line.transaction(Self.reading) { try body(PostgresConnection(link: $0)) }
        }
    }

    private func askForTurn() {
        writers.use { self.takeTurn($0) }
    }

    private func takeTurn(_ line: PostgresLine) {
        switch waiting.withLock({ $0.take() }) {
        case .commit(let group):
            commit(group, on: line)
            askForTurn()
        case .rest:
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.rest) {
                if self.waiting.withLock({ $0.wake() }) { self.askForTurn() }
            }
        case .nothing:
            break
        }
    }

    private func commit(_ group: [any PendingWrite], on line: PostgresLine) {
        do {
            try repeating { attempt in
                let isAlone = attempt >= Repetition.firstAlone
                try gate.sync(flags: isAlone ? .barrier : []) {
                    guard attempt >= Repetition.firstInTurn else {
                        return try run(group, on: line, isAlone ? Self.writingAlone : Self.writing)
                    }
                    try line.inTurn { try run(group, on: line, Self.writingAlone) }
                }
            }
            for write in group { write.finish() }
        } catch {
            for write in group { write.fail(error) }
        }
    }

    /// Runs the group in one transaction. When one of them has failed after it changed something, the others run again,
    /// each in a savepoint.
    private func run(_ group: [any PendingWrite], on line: PostgresLine, _ mode: SQLText) throws {
        do {
            try run(group, on: line, mode, apart: false)
        } catch is Unclean where group.count > 1 {
            try run(group, on: line, mode, apart: true)
        } catch is Unclean {
            return
        }
    }

    private func run(_ group: [any PendingWrite], on line: PostgresLine, _ mode: SQLText, apart: Bool) throws {
        let mode = group.contains(where: \.isSynced) ? mode : "\(mode)\(Self.unsynced)"
        try line.transaction(mode) { link in
            let connection = PostgresConnection(link: link)
            for write in group {
                let isClean = try apart ? write.runApart(in: connection) : write.run(in: connection)
                guard isClean else { throw Unclean() }
            }
        }
    }

    /// Runs a transaction until nobody stands in its way, or for too long.
    private func repeating<Output>(_ transaction: (_ attempt: Int) throws -> Output) throws -> Output {
        var attempt = 0
        while true {
            do {
                return try transaction(attempt)
            } catch {
                let pause = Repetition.pause(after: error, attempt: attempt, jitter: settings.jitter())
                guard let pause else { throw error }
                attempt += 1
                repetitions.withLock { $0 += 1 }
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }
}
