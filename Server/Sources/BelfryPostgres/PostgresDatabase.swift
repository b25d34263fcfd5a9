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
    private let questions: QuestionLane
    private let questionLines: PostgresLines
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
        readers = PostgresLines(
            "reader", count: settings.connections - settings.writers - settings.questions, settings
        )
        questions = QuestionLane(settings.limits)
        questionLines = PostgresLines("question", count: settings.questions, settings)
        try PostgresOpening(settings).run()
    }

    /// Ends the connections after what is under way; whoever comes later is refused.
    package func close() {
        writers.close()
        readers.close()
        questionLines.close()
    }

    /// How often a transaction had to run again.
    package var repeated: Int { repetitions.withLock { $0 } }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            readers.use { line in
                let result = Result { try self.read(body, on: line) }
                continuation.resume(with: result.mapError { StoreError.mapped(postgres: $0) })
            }
        }
    }

    package func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await questions.ask(question) { run, completion in
            questionLines.use { line in
                let result = Result { try self.answer(run, body, on: line) }
                completion(result.mapError { StoreError.mapped(postgres: $0) })
            }
        }
    }

    package func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let write = Write(
            isSynced: turn.isSynced, body: body, mapError: { StoreError.mapped(postgres: $0) }, completion: completion
        )
        if waiting.withLock({ $0.add(write, turn: turn) }) { askForTurn() }
    }

    private func read<Output>(_ body: (any SQLConnection) throws -> Output, on line: PostgresLine) throws -> Output {
        try repeating { _ in
            try line.transaction(Self.reading) { try body(PostgresConnection(link: $0)) }
        }
    }

    private func answer<Output>(
        _ run: QuestionRun, _ body: (PredicateConnection) throws -> Output, on line: PostgresLine
    ) throws -> Output {
        // A cancellation that arrives late would meet the next question.
        defer { if run.isCancelled { line.leave() } }
        run.begin()
        return try repeating { _ in
            try line.transaction(Self.reading) { link in
                try run.interruptible(by: link.cancellation()) {
                    let connection = PostgresQuestionConnection(base: PostgresConnection(link: link), run: run)
                    return try connection.mappingErrors { try body(PredicateConnection(lentBy: connection)) }
                }
            }
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

/// When a transaction that has failed runs again, and after how long.
enum Repetition {
    /// Times that a transaction runs while others stand in its way.
    static let maximumAttempts = 12
    /// From this attempt on nobody else of this process writes meanwhile.
    static let firstAlone = 1
    /// From this attempt on no other process repeats a transaction meanwhile: two that make rows at the end of the same
    /// tables would stand in each other's way again and again.
    static let firstInTurn = 2
    /// Seconds before the second attempt; they double up to the longest.
    static let firstPause = 0.001
    static let longestPause = 0.2

    /// - Parameters:
    ///   - attempt: how often it has run before, 0 for the first failure.
    ///   - jitter: between 0 and 1.
    /// - Returns: the pause in seconds; nil when it is not repeated.
    static func pause(after error: any Error, attempt: Int, jitter: Double) -> Double? {
        guard let error = error as? PostgresError else { return nil }
        if error.isConflict {
            guard attempt + 1 < maximumAttempts else { return nil }
            var pause = firstPause
            for _ in 0..<attempt { pause = min(pause * 2, longestPause) }
            return pause * (0.5 + jitter)
        }
        // The server was started anew meanwhile, so another connection may do. A second loss means that it is gone.
        return error.isLost && attempt == 0 ? 0 : nil
    }
}
