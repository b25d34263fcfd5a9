import BelfryStore
import Foundation

/// How the steps of the upkeep go through their tables. What is gone, and what a walk has behind it, will not end the
/// process again: then the count of the step begins anew, and it stays this process's for a while longer (SEC-8).
///
/// A walk may take very long, as the first one that moves dead devices does. So a process that is told to stop ends with
/// the page that it is at (CLI-2), and the next one goes on.
extension Housekeeping {
    /// Walks over the numbers of a table, so many at a time, from where the attempt before this one had come.
    ///
    /// - Parameter look: removes what has to go of these numbers; returns how many rows that were.
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

    /// Walks over a table, page by page, from where the attempt before this one had come; only what goes is written.
    func walk(
        _ step: UpkeepStep,
        _ page: @escaping @Sendable (any SQLConnection, Int64) throws -> AgedRows,
        remove: @escaping @Sendable (any SQLConnection, [Int64]) throws -> Void
    ) async throws -> Int {
        var count = 0
        var pace = WalkPace(at: environment.now())
        var position: Int64? = try await reached(in: step)
        while let after = position {
            try Task.checkCancellation()
            let rows = try await database.read { try page($0, after) }
            count += try await inWrites(of: step, rows.expired) { connection, numbers in
                try remove(connection, numbers)
                return numbers.count
            }
            position = rows.next
            if let next = rows.next, pace.isToBeNoted(at: environment.now()) { try await note(next, in: step) }
        }
        return count
    }

    /// Takes rows that may be long in as many writes as it takes, for others wait for the writer (SEC-2).
    ///
    /// - Parameter take: removes or moves some of them; returns how many that were.
    func inWrites(
        of step: UpkeepStep, _ numbers: [Int64],
        _ take: @escaping @Sendable (any SQLConnection, [Int64]) throws -> Int
    ) async throws -> Int {
        var count = 0
        var left = numbers[...]
        while !left.isEmpty {
            let (next, noteProgress) = (left, progress(step))
            let write = try await database.write(turn: .patient) {
                [environment] connection -> (taken: Int, rest: ArraySlice<Int64>) in
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

    func repeated(
        _ step: UpkeepStep, _ remove: @escaping @Sendable (any SQLConnection) throws -> Int
    ) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let noteProgress = progress(step)
            let removed = try await database.write(turn: .patient) { connection in
                let removed = try remove(connection)
                if removed > 0 { try noteProgress(connection) }
                return removed
            }
            count += removed
            guard removed == Self.batch else { return count }
        }
    }

    /// The same of rows that may be long: some at a time, until the write has taken long (SEC-2).
    ///
    /// - Parameter remove: removes at most so many; returns how many went.
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

    /// Notes in a transaction that a step got on.
    ///
    /// - Parameter reached: what a walk has behind it; nil where none has come any further.
    func progress(_ step: UpkeepStep, reached: Int64? = nil) -> @Sendable (any SQLConnection) throws -> Void {
        let (owner, lease) = (attempts.owner, environment.now().addingTimeInterval(Self.lease))
        return { try $0.workAttempts.beginAnew(.upkeep(step), reached: reached, of: owner, until: lease) }
    }

    private func reached(in step: UpkeepStep) async throws -> Int64 {
        try await database.read { try $0.workAttempts.find(.upkeep(step))?.reached ?? 0 }
    }

    /// It waits for no disk: what it says has to survive the death of this process, and no more.
    private func note(_ reached: Int64, in step: UpkeepStep) async throws {
        try await database.write(turn: .unsynced, progress(step, reached: reached))
    }
}
