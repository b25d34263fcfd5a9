import Foundation

/// A database engine as the repositories see it: transactions of plain SQL.
///
/// A write that returns is durable (WIRE-26), unless its turn says otherwise. Writes that arrive together may share one commit; each is still
/// atomic by itself, and one that throws leaves nothing behind. Where an engine's own error means that the same may
/// succeed later, or never will, a write says so by ``StoreError``.
package protocol SQLDatabase: Sendable {
    /// Writes for a caller who goes on: `completion` is told after the commit, on the writer's thread, and is quick.
    ///
    /// - Parameters:
    ///   - turn: whether others go first, and how long it takes.
    ///   - body: may run several times, all but the last for nothing: it changes the database and nothing else. What
    ///     an engine refuses ends it: it does not catch that and go on.
    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// A consistent view of what is committed.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output

    /// The same of what is read in a moment, for a caller who goes on: an engine may read it where the caller stands.
    /// `completion` is told there, or on a reader's thread.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// A write of a kind of which many come at once: an engine may run those that wait together.
    func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// The same of a read that takes a moment.
    func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// The same for a predicate, which is evaluated nowhere else: few at a time, with connections that nobody else
    /// needs, within a budget. It ends early when the task is cancelled.
    ///
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when the budget is spent, ``StoreError/crowded`` when too many
    ///   wait.
    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output

    /// Keeps a table in partitions by a period of the calendar, as ``PartitionedTable`` says, however large it is: divides
    /// it when it is in one piece, makes the partitions of the periods ahead, and drops those of which all rows are older
    /// than a moment. Nobody waits longer than a moment for it; what somebody's lock is in the way of is left for the next
    /// time. An engine that has no partitions does nothing. Whether a table may be divided yet is the caller's question
    /// (``TablePartitions/areKept``).
    func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep
}

extension SQLDatabase {
    package func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore moment: Date
    ) async throws -> PartitionUpkeep { PartitionUpkeep() }

    package func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        write(turn: turn) {
            try call.run(item, in: $0)
        } completion: {
            completion($0)
        }
    }

    package func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        read({ try call.run(item, in: $0) }, completion: completion)
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        Task {
            do {
                completion(.success(try await read(body)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}

/// When a write has its turn, where all of them share one writer, how much of the writer's time it takes, and whether it
/// waits for the disk.
package struct WritePriority: Hashable, Sendable {
    /// Somebody waits for its answer.
    package static let next = WritePriority(isPatient: false, cost: 1, isSynced: true)
    /// Nobody does: it lets the others go first, for a while.
    package static let patient = WritePriority(isPatient: true, cost: 1, isSynced: true)
    /// It says what would be found out again, so it waits for no disk: it survives the death of this process like any
    /// other, and a power cut, or the death of a database server, may undo the last moments' (PUSH-5).
    package static let unsynced = WritePriority(isPatient: false, cost: 1, isSynced: false)
    /// Both: it lets the others go first, and would be done again after a power cut.
    package static let patientUnsynced = WritePriority(isPatient: true, cost: 1, isSynced: false)

    /// The next turn for a write that takes as long as so many ordinary ones; nothing costs less than one.
    package static func next(cost: Int) -> WritePriority {
        WritePriority(isPatient: false, cost: max(cost, 1), isSynced: true)
    }

    package let isPatient: Bool
    package let cost: Int
    /// Whether its commit is on the disk before its caller is told.
    package let isSynced: Bool
}

extension SQLDatabase {
    /// Writes, and returns after the commit. The body may run several times, all but the last for nothing. The first write
    /// of work of which the audit log is to know carries its line.
    package func write<Output: Sendable>(
        turn: WritePriority = .next, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        guard let line = CarriedLine.current, turn.isSynced, line.take() else { return try await commit(turn, body) }
        do {
            let entry = line.entry
            let (output, number) = try await commit(turn) { connection -> (Output, Int64) in
                let output = try body(connection)
                return (output, try connection.audit.insert(entry))
            }
            line.settle(number)
            return output
        } catch {
            line.settle(nil)
            throw error
        }
    }

    private func commit<Output: Sendable>(
        _ turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            write(turn: turn, body) { continuation.resume(with: $0) }
        }
    }

    package func write<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        write(turn: .next, body, completion: completion)
    }
}

extension SQLDatabase {
    /// What is read in a moment, for a caller who waits: an engine may read it where the caller stands, which wakes
    /// nobody else.
    package func glance<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }
}
