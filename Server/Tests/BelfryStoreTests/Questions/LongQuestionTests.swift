import BelfryServerTestSupport
import BelfryStore
import Synchronization
import Testing

/// What a long question does to others.
struct LongQuestionTests {
    /// Takes SQLite some millions of steps.
    private static let long: @Sendable (PredicateConnection) throws -> Int64 = { asked in
        let sql: SQLText =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) FROM n"
        return try asked.connection.first(sql, []) { $0.integer(0) } ?? 0
    }

    @Test("PERF-12: a count lets others run again and again; nothing else does")
    func others() async throws {
        let calls = Calls()
        var limits = QuestionLimits.patient
        limits.letOthersRun = { calls.add() }
        let store = try TestStore(.sqlite, questions: limits)
        for question in [Question.planning, .looking(device: 1, app: 1), .rehearsing] {
            #expect(try await store.database.ask(question, Self.long) == 300_000)
        }
        #expect(calls.count == 0)
        for (number, question) in [Question.counting(app: 1), .spareCounting(app: 1)].enumerated() {
            #expect(try await store.database.ask(question, Self.long) == 300_000)
            #expect(calls.count > 20 * (number + 1), "\(question)")
        }
    }

    @Test("PERF-13: a page of a rehearsal is read where no call waits; nothing else is")
    func background() async throws {
        let jobs = Calls()
        var limits = QuestionLimits.patient
        limits.background = JobQueue { job in
            jobs.add()
            JobQueue.threads.run(job)
        }
        let store = try TestStore(.sqlite, questions: limits)
        for question in [Question.planning, .looking(device: 1, app: 1), .counting(app: 1), .spareCounting(app: 1)] {
            #expect(try await store.database.ask(question, Self.long) == 300_000)
        }
        #expect(jobs.count == 0)
        #expect(try await store.database.ask(.rehearsing, Self.long) == 300_000)
        #expect(jobs.count == 1)
    }

    @Test("PERF-13: a page of a rehearsal costs the time that it has a processor, however long it waits for one")
    func waiting() async throws {
        let hours = Calls()
        var limits = QuestionLimits { UInt64(hours.add()) * 3_600_000_000_000 }
        limits.background = JobQueue(clock: { 0 }) { JobQueue.threads.run($0) }
        let store = try TestStore(.sqlite, questions: limits)
        #expect(try await store.database.ask(.rehearsing, Self.long) == 300_000)
        await #expect(throws: StoreError.tooExpensive(seconds: 5)) {
            _ = try await store.database.ask(.planning, Self.long)
        }
    }

    private final class Calls: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .relaxed) }
        /// - Returns: how many there are with this one.
        @discardableResult
        func add() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
    }
}
