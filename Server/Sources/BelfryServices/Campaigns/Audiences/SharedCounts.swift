import BelfryModel
import BelfryStore
import Foundation
import Synchronization

/// Counts of audiences for people who compose: a form asks again with each key that is pressed, and several people may
/// ask for the same. Each is made once in a moment (PERF-12).
final class SharedCounts: Sendable {
    /// Seconds for which a count is given again, from its beginning on.
    static let lifetime: TimeInterval = 1
    /// Counts that are kept; with so many under way a further one is shared with nobody.
    static let maximumCount = 100

    private struct Key: Hashable, Sendable {
        let app: Int64
        /// To the byte, as the database compares: `é` as one code point and as two are two audiences.
        let audience: [UInt8]

        init(_ audience: Condition, app: AppRecord) throws {
            self.app = app.id
            self.audience = Array(try JSONText.encode(audience).utf8)
        }
    }

    private let counts = Mutex<[Key: SharedCount]>([:])

    /// How many devices belong to an audience, at most a moment ago.
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

    /// How many have asked for a count that is still given: for tests.
    func waiting(for audience: Condition, app: AppRecord) -> Int {
        guard let key = try? Key(audience, app: app) else { return 0 }
        return counts.withLock { $0[key]?.waiting ?? 0 }
    }
}

/// A count that is under way or done, and how many want it. It ends when nobody does any more (SEC-8).
private final class SharedCount: Sendable {
    private struct State {
        var waiting = 1
        /// It is for nobody else: it has failed, or was given up.
        var isOver = false
    }

    private let begunAt: Date
    private let task: Task<Int, any Error>
    private let state = Mutex(State())

    /// - Parameter task: counts, for the first who wants it.
    init(at date: Date, _ task: Task<Int, any Error>) {
        begunAt = date
        self.task = task
    }

    var waiting: Int { state.withLock { $0.isOver ? 0 : $0.waiting } }

    /// The clock may have been set.
    func isFresh(at now: Date) -> Bool {
        (0..<SharedCounts.lifetime).contains(now.timeIntervalSince(begunAt))
    }

    /// - Returns: whether one more gets its value.
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
            // Whoever asks next is not told of it.
            state.withLock { $0.isOver = true }
            throw error
        }
    }

    private func leave() {
        let isGivenUp = state.withLock { state in
            state.waiting -= 1
            if state.waiting == 0 { state.isOver = true }
            return state.waiting == 0
        }
        if isGivenUp { task.cancel() }
    }
}
