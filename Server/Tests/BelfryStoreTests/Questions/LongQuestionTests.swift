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

    @Test("PERF-12, PERF-13: a count and a page of a rehearsal let others run again and again; nothing else does")
    func others() async throws {
        let calls = Calls()
        var limits = QuestionLimits.patient
        limits.letOthersRun = { calls.add() }
        let store = try TestStore(.sqlite, questions: limits)
        for question in [Question.planning, .looking(device: 1, app: 1)] {
            #expect(try await store.database.ask(question, Self.long) == 300_000)
        }
        #expect(calls.count == 0)
        for (number, question) in [Question.counting(app: 1), .spareCounting(app: 1), .rehearsing].enumerated() {
            #expect(try await store.database.ask(question, Self.long) == 300_000)
            #expect(calls.count > 20 * (number + 1), "\(question)")
        }
    }

    private final class Calls: Sendable {
        private let value = Atomic<Int>(0)
        var count: Int { value.load(ordering: .relaxed) }
        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }
}
