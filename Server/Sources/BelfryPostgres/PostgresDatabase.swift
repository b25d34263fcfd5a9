import BelfryStore
import Dispatch
import Foundation
import Synchronization

/// The store on a PostgreSQL server, which several processes may share (STO-2).
///
/// Waiting writes share a transaction, as on SQLite, but several transactions run at the same time. All are
/// SERIALIZABLE: a transaction with a conflict runs again, so what its body has read is still true when it writes. The
/// same holds after a key that another transaction has just taken. Each read sees one snapshot.
package final class PostgresDatabase: SQLDatabase {
    /// How long patient writes wait for other writes to join their transaction.
    private static let rest = DispatchTimeInterval.milliseconds(5)
    private static let writing: SQLText = "ISOLATION LEVEL SERIALIZABLE"
    /// Used when this process runs no other write transaction.
    private static let alone: SQLText = "SET LOCAL lock_timeout = \(PostgresLine.patientLockTimeout)"
    /// The commit is reported before it is on the disk. If commits wait for a standby, this one does too: otherwise a
    /// failover could undo it, and what it records as sent would be sent again.
    private static let unsynced: SQLText = """
        SELECT set_config('synchronous_commit',
            CASE current_setting('synchronous_standby_names') WHEN '' THEN 'off' ELSE 'remote_write' END, true)
        """
    /// The most reads that share one snapshot.
    private static let readsTogether = 64

    private struct WaitingReads {
        var reads: [any PendingWrite] = []
        /// A connection was requested and has not arrived yet.
        var isAwaited = false
    }

    /// A call has failed after it changed something, so its transaction is undone.
    private struct Unclean: Error {}

    /// Where the server keeps its files; nil: it was not asked.
    package let folder: PostgresDataFolder?
    private let settings: PostgresSettings
    private let writers: PostgresLines
    private let readers: PostgresLines
    private let questions: QuestionLane
    private let questionLines: PostgresLines
    private let waiting: Mutex<WaitingWrites>
    private let waitingReads = Mutex(WaitingReads())
    /// Admits all writers together, or one alone that has run into conflicts before.
    private let gate = DispatchQueue(label: "belfry.postgres.gate", attributes: .concurrent)
    private let repeated = Mutex<[String: Int]>([:])

    /// Connects to the database and brings its schema up to date, while no other process does.
    ///
    /// - Parameters:
    ///   - asksForFolder: whether to ask the server for ``folder``, on its first connection.
    ///   - bell: the bell of a process that shares the database with others, made by the same settings.
    /// - Throws: ``PostgresOpeningError``, or ``StoreError/newerSchema(found:known:)``.
    package init(_ settings: PostgresSettings, asksForFolder: Bool = false, bell: PostgresBell? = nil) throws {
        self.settings = settings
        waiting = Mutex(WaitingWrites(writers: settings.writers))
        writers = PostgresLines(
            "writer", count: settings.writers, settings, planning: .byIndexes, lockTimeout: settings.lockTimeout
        )
        readers = PostgresLines(
            "reader", count: settings.connections - settings.writers - settings.questions, settings,
            planning: .byIndexes
        )
        questions = QuestionLane(settings.limits)
        // A predicate may match nearly all rows, so an index is not always best.
        questionLines = PostgresLines("question", count: settings.questions, settings, planning: .each)
        folder = try PostgresOpening(settings).run(asksForFolder: asksForFolder, bell: bell)
    }

    /// Ends the connections after the work under way; later calls are refused.
    package func close() {
        writers.close()
        readers.close()
        questionLines.close()
    }

    /// The connection pools, by their purpose.
    package var pools: [ConnectionPoolUse] { [writers.use, readers.use, questionLines.use] }

    /// How many questions are running, and how many wait.
    package var questionUse: QuestionLaneUse { questions.use }

    /// How often a connection has waited for the server's response.
    package var roundTrips: Int { settings.roundTrips.count }

    /// How often a transaction had to run again, by ``Repetition/reason(of:)``.
    package var repetitions: [String: Int] { repeated.withLock { $0 } }

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

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        add(
            Write(
                isSynced: false, body: body, mapError: { StoreError.mapped(postgres: $0) }, completion: completion
            )
        )
    }

    package func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        add(
            JointWrite(
                item, call, isSynced: false, mapError: { StoreError.mapped(postgres: $0) }, completion: completion
            )
        )
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
        add(write, turn)
    }

    package func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let write = JointWrite(
            item, call, isSynced: turn.isSynced, mapError: { StoreError.mapped(postgres: $0) },
            completion: completion
        )
        add(write, turn)
    }

    private func add(_ write: any PendingWrite, _ turn: WritePriority) {
        if waiting.withLock({ $0.add(write, turn: turn) }) { askForTurn() }
    }

    private func read<Output>(_ body: (any SQLConnection) throws -> Output, on line: PostgresLine) throws -> Output {
        try repeating { _ in
            try line.reading { try body(PostgresConnection(link: $0)) }
        }
    }

    /// The first free connection takes all reads that wait at that time: each sees what was committed before it was
    /// requested. Reads that arrive before that connection does wait for it too. They wake no other connection, since
    /// that would split the group.
    private func add(_ read: any PendingWrite) {
        let isAwaited = waitingReads.withLock { waiting in
            waiting.reads.append(read)
            defer { waiting.isAwaited = true }
            return waiting.isAwaited
        }
        if !isAwaited { askForReader() }
    }

    private func askForReader() {
        readers.use { line in
            let (group, hasMore) = self.waitingReads.withLock { waiting in
                let group = Array(waiting.reads.prefix(Self.readsTogether))
                waiting.reads.removeFirst(group.count)
                waiting.isAwaited = !waiting.reads.isEmpty
                return (group, waiting.isAwaited)
            }
            if hasMore { self.askForReader() }
            self.read(group, on: line)
        }
    }

    private func read(_ group: [any PendingWrite], on line: PostgresLine) {
        guard !group.isEmpty else { return }
        do {
            try repeating { _ in
                try line.reading { try self.run(group, in: PostgresConnection(link: $0)) }
            }
            for read in group { read.finish() }
        } catch {
            guard group.count > 1 else { return group.forEach { $0.fail(error) } }
            // An error of one read must not reach the others, so each runs by itself.
            for one in group { read([one], on: line) }
        }
    }

    /// Runs a group, and reports what the server refused. The error belongs to its write and goes no further.
    private func run(_ group: [any PendingWrite], in connection: PostgresConnection) throws {
        do {
            try Self.runByKind(group, in: connection)
        } catch let error as Unclean {
            if let rejection = connection.link.transactionError { settings.onError(rejection.code) }
            throw error
        }
    }

    /// Runs the writes of each kind together.
    private static func runByKind(_ group: [any PendingWrite], in connection: PostgresConnection) throws {
        for (first, others) in group.byKind {
            try naming {
                let isClean =
                    try others.isEmpty ? first.run(in: connection) : first.run(with: others, in: connection)
                guard isClean else { throw Unclean() }
            }
        }
        try connection.link.locks.check()
    }

    /// Runs one of several writes. The transaction of one that needs contacts that are not held is undone, but first the
    /// writes behind it say whom they need.
    private static func naming(_ body: () throws -> Void) throws {
        do { try body() } catch is ContactsNotHeld {}
    }

    private func answer<Output>(
        _ run: QuestionRun, _ body: (PredicateConnection) throws -> Output, on line: PostgresLine
    ) throws -> Output {
        // A cancellation that arrives late would hit the next question.
        defer { if run.isCancelled { line.leave() } }
        var hasBegun = false
        return try repeating { _ in
            try line.reading { link in
                // The connection may have to be opened first, which is not part of the question's cost.
                if !hasBegun { run.begin() }
                hasBegun = true
                return try run.interruptible(by: link.cancellation()) {
                    let connection = PostgresQuestionConnection(base: PostgresConnection(link: link), run: run)
                    return try connection.mappingErrors { try body(PredicateConnection(lentBy: connection)) }
                }
            }
        }
    }

    /// Uses a connection of its own and closes it afterwards, so that neither writes nor reads wait for a connection
    /// meanwhile.
    package func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep {
        // There is no limit on its cost.
        let run = QuestionRun(budget: .max) { 0 }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { [settings] in
                    let partitions = PostgresPartitions(settings: settings, table: table, run: run)
                    let result = Result { try partitions.keep(at: now, droppingBefore: moment) }
                    continuation.resume(with: result.mapError { StoreError.mapped(postgres: $0) })
                }
            }
        } onCancel: {
            run.cancel()
        }
    }

    private func askForTurn() {
        writers.use { self.takeTurn($0) }
    }

    private func takeTurn(_ line: PostgresLine) {
        switch waiting.withLock({ $0.take() }) {
        case .commit(let group):
            commit(group, on: line)
            waiting.withLock { $0.end(group) }
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
        // Whom the writes hold. As a rule nobody is known to be needed before they run.
        var contacts: Set<Int64> = []
        do {
            try repeating { repetition in
                let settings = repetition.isAlone ? [Self.alone] : []
                try gate.sync(flags: repetition.isAlone ? .barrier : []) {
                    guard repetition.isInTurn else {
                        return try run(group, on: line, settings, repetition, holding: &contacts)
                    }
                    try line.inTurn { try run(group, on: line, settings, repetition, holding: &contacts) }
                }
            }
            for write in group { write.finish() }
        } catch {
            for write in group { write.fail(error) }
        }
    }

    /// Runs the group, and again each time that it needs contacts that it does not hold, with the locks of all of them. A
    /// lock that does not come in time is a conflict like any other. Nobody waits with locks for the gate or the turn: they
    /// are taken behind both, and given back before the next attempt.
    private func run(
        _ group: [any PendingWrite], on line: PostgresLine, _ settings: [SQLText], _ repetition: Repetition,
        holding contacts: inout Set<Int64>
    ) throws {
        while true {
            do {
                return try line.holding(contacts) { try run(group, on: line, settings, repetition) }
            } catch let error as ContactsNotHeld {
                guard !error.contacts.isSubset(of: contacts) else { throw PostgresError.locksLost }
                contacts.formUnion(error.contacts)
            }
        }
    }

    /// Runs the group in one transaction. If a write fails after it changed something, the others run again, each in a
    /// savepoint.
    private func run(
        _ group: [any PendingWrite], on line: PostgresLine, _ settings: [SQLText], _ repetition: Repetition
    ) throws {
        do {
            try run(group, on: line, settings, repetition, apart: false)
        } catch  where group.count > 1 && Self.isOfOne(error, repetition) {
            try run(group, on: line, settings, repetition, apart: true)
        } catch is Unclean {
            return
        }
    }

    /// Whether an error belongs to one write of a group, though it is not known which. Statements that are sent with
    /// the commit may fail there.
    private static func isOfOne(_ error: any Error, _ repetition: Repetition) -> Bool {
        guard let error = error as? PostgresError else { return error is Unclean }
        return error.isRejection && !repetition.isOfAll(error)
    }

    private func run(
        _ group: [any PendingWrite], on line: PostgresLine, _ settings: [SQLText], _ repetition: Repetition,
        apart: Bool
    ) throws {
        // In a distributed database, the commit on this node decides for all nodes. It must be on the disk before they
        // learn of it. Otherwise a crash could leave it done on some nodes only.
        let isDistributed = self.settings.placement.isDistributed
        let waits = group.contains(where: \.isSynced) || isDistributed
        // Rows of devices and contacts alone are on the workers. All else may have a part here as well.
        let prepares = isDistributed && !group.allSatisfy(\.isOfDevices)
        let own = (waits ? [] : [Self.unsynced]) + (prepares ? [PreparedCommits.statement] : [])
        try line.transaction(Self.writing, settings + own) { link in
            let connection = PostgresConnection(link: link, repetition: repetition, isWriting: true)
            guard apart else { return try self.run(group, in: connection) }
            for write in group {
                try Self.naming {
                    guard try write.runApart(in: connection) else { throw Unclean() }
                }
            }
            try connection.link.locks.check()
        }
    }

    /// Runs a transaction until it meets no conflict, or until the attempts are used up.
    private func repeating<Output>(_ transaction: (_ repetition: Repetition) throws -> Output) throws -> Output {
        var repetition = Repetition()
        while true {
            do {
                return try transaction(repetition)
            } catch {
                if let error = error as? PostgresError { settings.onError(error.code) }
                guard let pause = repetition.pause(after: error, jitter: settings.jitter()) else { throw error }
                if let reason = Repetition.reason(of: error) {
                    repeated.withLock { $0[reason, default: 0] += 1 }
                    settings.onRepetition(reason)
                }
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }
}
