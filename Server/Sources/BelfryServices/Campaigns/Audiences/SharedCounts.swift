import BelfryModel
import BelfryStore
import Foundation
import Synchronization

/// Shares counts of audiences among people who compose: a form asks again with each key press, and several people may
/// ask for the same count. Each is made at most once a second (PERF-12).
final class SharedCounts: Sendable {
    /// Seconds for which a count is returned again, from the start of its query.
    static let lifetime: TimeInterval = 1
    /// The most counts that are kept. If so many are in progress, a further count is not shared.
    static let maximumCount = 100

    private struct Key: Hashable, Sendable {
        let app: Int64
        /// As bytes, because the database compares bytes: `é` as one code point and as two are two audiences.
        let audience: [UInt8]

        init(_ audience: Condition, app: AppRecord) throws {
            self.app = app.id
            self.audience = Array(try JSONText.encode(audience).utf8)
        }
    }

    private let counts = Mutex<[Key: SharedCount]>([:])

    /// How many devices belong to an audience; at most a second old.
    func count(_ audience: Condition, app: AppRecord, by counter: AudienceCounter) async throws -> Int {
        let now = counter.environment.now()
        let key = try Key(audience, app: app)
        let count = counts.withLock { counts in
            if let known = counts[key], known.isFresh(at: now), known.join() { return known }
            let count = SharedCount(at: now, Task { try await counter.count(audience, app: app) })
            counts = counts.filter { $0.value.isFresh(at: now) }
            if counts.count < Self.maximumCount { counts[key] = count }
            return count
        }
        return try await count.value()
    }

    /// How many callers wait for this count, or got it. For tests.
    func waiting(for audience: Condition, app: AppRecord) -> Int {
        guard let key = try? Key(audience, app: app) else { return 0 }
        return counts.withLock { $0[key]?.waiting ?? 0 }
    }
}

/// A count that is in progress or done, and the number of its callers. It is cancelled when no caller waits any more
/// (SEC-8).
private final class SharedCount: Sendable {
    private struct State {
        var waiting = 1
        /// Whether the count failed or was cancelled, so that nobody may join it.
        var isOver = false
    }

    private let begunAt: Date
    private let task: Task<Int, any Error>
    private let state = Mutex(State())

    /// - Parameter task: counts, for the first caller.
    init(at date: Date, _ task: Task<Int, any Error>) {
        begunAt = date
        self.task = task
    }

    var waiting: Int { state.withLock { $0.isOver ? 0 : $0.waiting } }

    /// Whether the count is young enough. A negative age, after the clock was set back, is not.
    func isFresh(at now: Date) -> Bool {
        (0..<SharedCounts.lifetime).contains(now.timeIntervalSince(begunAt))
    }

    /// Adds a caller.
    ///
    /// - Returns: whether the caller may wait for the count's value.
    func join() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.waiting += 1
            return true
        }
    }

    func value() async throws -> Int {
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                leave()
            }
        } catch {
            // Later callers start a new count and do not get this error.
            state.withLock { $0.isOver = true }
            throw error
        }
    }

    private func leave() {
        let isAbandoned = state.withLock { state in
            state.waiting -= 1
            if state.waiting == 0 { state.isOver = true }
            return state.waiting == 0
        }
        if isAbandoned { task.cancel() }
    }
}
