import Foundation

/// A database engine as the repositories see it: transactions of plain SQL.
///
/// A write that returns is durable (WIRE-26), unless its priority says otherwise. Writes that arrive together may share
/// one commit; each is still atomic, and one that throws changes nothing. If an engine's error means that the same
/// write may succeed later, or never will, the write throws a ``StoreError``.
package protocol SQLDatabase: Sendable {
    /// Writes without blocking the caller: `completion` is called after the commit, on the writer's thread, and must be
    /// quick.
    ///
    /// - Parameters:
    ///   - turn: whether other writes go first, and how much time the write takes.
    ///   - body: may run several times, and all runs but the last are undone, so it must change nothing but the
    ///     database. It must not catch an engine's error and continue.
    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// Reads in one consistent snapshot of what is committed.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output

    /// A quick read without blocking the caller: an engine may read on the caller's thread. `completion` is called
    /// there, or on a reader's thread.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// A write of a kind of which many arrive at the same time: an engine may run those that wait together.
    func write<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>, turn: WritePriority,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// A quick read of such a kind.
    func read<Item: Sendable, Output: Sendable>(
        _ item: Item, of call: JointCall<Item, Output>,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    )

    /// Reads with a predicate, which can be evaluated in no other way: few at a time, on separate connections, within a
    /// budget. It ends early when the task is cancelled.
    ///
    /// - Throws: ``StoreError/tooExpensive(seconds:)`` when the budget is spent, ``StoreError/crowded`` when too many
    ///   wait.
    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output

    /// Keeps a table in partitions by a calendar period, as ``PartitionedTable`` says, however large it is: divides an
    /// undivided table, makes the partitions of coming periods, and drops those whose rows are all older than a moment.
    /// Other transactions wait only for a moment; a step that another transaction's lock prevents is left for the next
    /// time. An engine without partitions does nothing. The caller decides whether a table may be divided yet
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

/// When a write is run among others on a shared writer, how much of the writer's time it takes, and whether it waits
/// for the disk.
package struct WritePriority: Hashable, Sendable {
    /// A caller waits for the result.
    package static let next = WritePriority(isPatient: false, cost: 1, isSynced: true)
    /// No caller waits: other writes go first, for a while.
    package static let patient = WritePriority(isPatient: true, cost: 1, isSynced: true)
    /// The write records something that would be found out again, so it does not wait for the disk. It survives the
    /// death of this process; a power failure, or the death of a database server, may undo the writes of the last
    /// moments (PUSH-5).
    package static let unsynced = WritePriority(isPatient: false, cost: 1, isSynced: false)
    /// Other writes go first, and a power failure may undo the write, which would then be done again.
    package static let patientUnsynced = WritePriority(isPatient: true, cost: 1, isSynced: false)

    /// A write for whose result a caller waits and that takes as long as so many ordinary ones; the least cost is one.
    package static func next(cost: Int) -> WritePriority {
        WritePriority(isPatient: false, cost: max(cost, 1), isSynced: true)
    }

    package let isPatient: Bool
    package let cost: Int
    /// Whether the commit must be on the disk before the caller gets the result.
    package let isSynced: Bool
}

extension SQLDatabase {
    /// Writes, and returns after the commit. The body may run several times; all runs but the last are undone. If the
    /// work must be in the audit log, its first write stores the line.
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
    /// A quick read for a caller that waits: an engine may read on the caller's thread, without waking another.
    package func glance<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }
}
