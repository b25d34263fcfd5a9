import BelfryStore
import Foundation

/// How the steps of the upkeep walk through their tables. A row that was removed or passed cannot crash the process
/// again. So the step's count of attempts begins anew, and this process keeps the step for a while longer (SEC-8).
///
/// A walk may take very long, for example the first one that moves dead devices. So a process that is told to stop
/// finishes its present page (CLI-2), and the next process continues.
extension Housekeeping {
    /// Walks over the numbers of a table in ranges of a size, from the position that the former attempt has reached.
    ///
    /// - Parameter look: removes the expired rows of a range; returns how many it has removed.
    func walk(
        _ step: UpkeepStep, through last: Int64, by size: Int, _ look: (ClosedRange<Int64>) async throws -> Int
    ) async throws -> Int {
        var count = 0
        var pace = WalkPace(at: environment.now())
        let reached = try await reached(in: step)
        for first in stride(from: reached + 1, through: last, by: size) {
            try Task.checkCancellation()
            let numbers = first...(first + Int64(size) - 1)
            count += try await look(numbers)
            if pace.isToBeNoted(at: environment.now()) { try await note(numbers.upperBound, in: step) }
        }
        return count
    }

    /// Walks over a table page by page, from the position that the former attempt has reached. It writes only expired
    /// rows.
    func walk<Key: Hashable & Sendable>(
        _ step: UpkeepStep,
        _ page: @escaping @Sendable (any SQLConnection, Int64) throws -> AgedRows<Key>,
        remove: @escaping @Sendable (any SQLConnection, [Key]) throws -> Void
    ) async throws -> Int {
        var count = 0
        var pace = WalkPace(at: environment.now())
        var position: Int64? = try await reached(in: step)
        while let after = position {
            try Task.checkCancellation()
            let rows = try await database.read { try page($0, after) }
            count += try await inWrites(of: step, rows.expired) { connection, keys in
                try remove(connection, keys)
                return keys.count
            }
            position = rows.next
            if let next = rows.next, pace.isToBeNoted(at: environment.now()) { try await note(next, in: step) }
        }
        return count
    }

    /// Removes or moves rows that may be long, in as many writes as necessary, because others wait for the writer
    /// (SEC-2).
    ///
    /// - Parameter take: removes or moves some of them; returns how many.
    func inWrites<Key: Sendable>(
        of step: UpkeepStep, _ keys: [Key],
        _ take: @escaping @Sendable (any SQLConnection, [Key]) throws -> Int
    ) async throws -> Int {
        var count = 0
        var left = keys[...]
        while !left.isEmpty {
            let (next, noteProgress) = (left, progress(step))
            let write = try await database.write(turn: .patient) {
                [environment] connection -> (taken: Int, rest: ArraySlice<Key>) in
                let time = StepTime(environment)
                var (taken, rest) = (0, next)
                repeat {
                    taken += try take(connection, Array(rest.prefix(Self.takenAtOnce)))
                    rest = rest.dropFirst(Self.takenAtOnce)
                } while !rest.isEmpty && !time.isOver
                if taken > 0 { try noteProgress(connection) }
                return (taken, rest)
            }
            count += write.taken
            left = write.rest
            if !left.isEmpty { try Task.checkCancellation() }
        }
        return count
    }

    /// Removes rows until none are left, in as many writes as necessary.
    ///
    /// - Parameter remove: removes as many rows as one write may; returns how many it has removed, and whether those
    ///   were all.
    func repeated(
        _ step: UpkeepStep, _ remove: @escaping @Sendable (any SQLConnection) throws -> (count: Int, areAll: Bool)
    ) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let noteProgress = progress(step)
            let removed = try await database.write(turn: .patient) { connection -> (count: Int, areAll: Bool) in
                let removed = try remove(connection)
                if removed.count > 0 { try noteProgress(connection) }
                return removed
            }
            count += removed.count
            guard !removed.areAll else { return count }
        }
    }

    /// Removes rows that are all short until none are left, ``batch`` in each write.
    ///
    /// - Parameter remove: removes at most the given number of rows; returns how many it has removed.
    func repeatedInBatches(
        _ step: UpkeepStep, _ remove: @escaping @Sendable (any SQLConnection, Int) throws -> Int
    ) async throws -> Int {
        try await repeated(step) { connection in
            let count = try remove(connection, Self.batch)
            return (count, count < Self.batch)
        }
    }

    /// Removes rows that may be long until none are left. Each write removes some of them at a time until it has taken
    /// too long (SEC-2).
    ///
    /// - Parameter remove: removes at most the given number of rows; returns how many it has removed.
    func repeated(
        _ step: UpkeepStep, by size: Int, _ remove: @escaping @Sendable (any SQLConnection, Int) throws -> Int
    ) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let noteProgress = progress(step)
            let write = try await database.write(turn: .patient) {
                [environment] connection -> (removed: Int, areAll: Bool) in
                let time = StepTime(environment)
                var (removed, last) = (0, 0)
                repeat {
                    last = try remove(connection, size)
                    removed += last
                } while last == size && !time.isOver
                if removed > 0 { try noteProgress(connection) }
                return (removed, last < size)
            }
            count += write.removed
            guard !write.areAll else { return count }
        }
    }

    /// Records in a transaction that a step has made progress.
    ///
    /// - Parameter reached: the position that the walk has reached. Nil when it has not advanced.
    func progress(_ step: UpkeepStep, reached: Int64? = nil) -> @Sendable (any SQLConnection) throws -> Void {
        let (owner, lease) = (attempts.owner, environment.now().addingTimeInterval(Self.lease))
        return { try $0.workAttempts.beginAnew(.upkeep(step), reached: reached, of: owner, until: lease) }
    }

    private func reached(in step: UpkeepStep) async throws -> Int64 {
        try await database.read { try $0.workAttempts.find(.upkeep(step))?.reached ?? 0 }
    }

    /// The write does not wait for the disk: the record must survive the death of this process, and nothing more.
    private func note(_ reached: Int64, in step: UpkeepStep) async throws {
        try await database.write(turn: .unsynced, progress(step, reached: reached))
    }
}
