import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Synchronization
import Testing

/// WIRE-26: writes that share a commit share nothing else.
struct SharedCommitTests {
    private struct Rejected: Error, Equatable {
        let number: Int
    }

    /// The results of writes that were requested at the same time.
    private final class Outcomes: Sendable {
        private struct State {
            var runs: [Int: Int] = [:]
            var results: [Int: [Result<Int, any Error>]] = [:]
            var left: Int
            var waiting: CheckedContinuation<Void, Never>?
        }

        private let state: Mutex<State>

        init(_ count: Int) {
            state = Mutex(State(left: count))
        }

        /// How often each body has run.
        var runs: [Int: Int] { state.withLock { $0.runs } }
        /// How often each completion was called.
        var completions: [Int: Int] { state.withLock { $0.results.mapValues(\.count) } }
        /// The writes that failed, each with its error.
        var failures: [Int: any Error] {
            state.withLock { state in
                state.results.compactMapValues { results -> (any Error)? in
                    guard case .failure(let error)? = results.first else { return nil }
                    return error
                }
            }
        }

        func noteRun(of number: Int) {
            state.withLock { $0.runs[number, default: 0] += 1 }
        }

        func note(_ result: Result<Int, any Error>, of number: Int) {
            let waiting = state.withLock { state in
                state.results[number, default: []].append(result)
                state.left -= 1
                return state.left == 0 ? state.waiting : nil
            }
            waiting?.resume()
        }

        /// To be called before anything is asked for.
        func wait(_ ask: @Sendable () -> Void) async {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting = continuation }
                ask()
            }
        }
    }

    /// Asks for writes while the writer is at work, so that they share the commit that follows.
    private static func together(
        _ count: Int, in store: TestStore, _ body: @escaping @Sendable (any SQLConnection, Int) throws -> Void
    ) async -> Outcomes {
        let outcomes = Outcomes(count)
        let database = store.database
        await outcomes.wait {
            database.write { _ in
                for number in 0..<count {
                    database.write { connection in
                        outcomes.noteRun(of: number)
                        try body(connection, number)
                        return number
                    } completion: {
                        outcomes.note($0, of: number)
                    }
                }
            } completion: { _ in
            }
        }
        return outcomes
    }

    private static func codes(_ store: TestStore) async throws -> Set<String> {
        Set(try await store.reopened { try $0.apps.all().map(\.code.rawValue) })
    }

    private static func all(_ count: Int, _ times: Int) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, times) })
    }

    @Test(
        "WIRE-26: a write that fails after a change is undone; the others run again and happen once",
        arguments: Engine.allCases)
    func undone(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let outcomes = await Self.together(6, in: store) { connection, number in
            _ = try connection.makeApp("app-\(number)")
            if number == 3 { throw Rejected(number: number) }
        }
        #expect(outcomes.completions == Self.all(6, 1))
        #expect(outcomes.failures.mapValues { $0 as? Rejected } == [3: Rejected(number: 3)])
        #expect(try await Self.codes(store) == ["app-0", "app-1", "app-2", "app-4", "app-5"])
        // The first ones ran before the failure was known, those behind it did not.
        #expect(outcomes.runs == [0: 2, 1: 2, 2: 2, 3: 2, 4: 1, 5: 1])
    }

    @Test(
        "WIRE-26, PERF-3: a write that fails before it has changed anything does not affect the others",
        arguments: Engine.allCases)
    func readOnlyFailure(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let outcomes = await Self.together(6, in: store) { connection, number in
            if number.isMultiple(of: 2) {
                _ = try connection.apps.all()
                throw Rejected(number: number)
            }
            _ = try connection.makeApp("app-\(number)")
        }
        #expect(outcomes.completions == Self.all(6, 1))
        #expect(outcomes.runs == Self.all(6, 1))
        #expect(Set(outcomes.failures.keys) == [0, 2, 4])
        #expect(try await Self.codes(store) == ["app-1", "app-3", "app-5"])
    }

    @Test(
        "WIRE-26: whatever fails, each write happens completely or not at all, and is reported once",
        arguments: Engine.allCases, Endurance.seeds(6, brief: 2))
    func mixtures(_ engine: Engine, seed: UInt64) async throws {
        let store = try TestStore(engine)
        var dice = SeededGenerator(seed: seed)
        let count = 40
        let kinds = (0..<count).map { _ in Int.random(in: 0..<8, using: &dice) }
        let outcomes = await Self.together(count, in: store) { connection, number in
            switch kinds[number] {
            case 0: throw Rejected(number: number)
            case 1:
                _ = try connection.makeApp("half-\(number)")
                throw Rejected(number: number)
            case 2:
                _ = try connection.makeApp("half-\(number)")
                try connection.execute("INSERT INTO nowhere VALUES (1)")
            case 3: try connection.execute("SELECT nothing FROM apps")
            case 4:
                // The part that its body recovered from has not happened either.
                _ = try? connection.makeApp("app-\(number)")
                _ = try? connection.makeApp("app-\(number)")
            default: _ = try connection.makeApp("app-\(number)")
            }
        }
        #expect(outcomes.completions == Self.all(count, 1))
        #expect(Set(outcomes.failures.keys) == Set((0..<count).filter { kinds[$0] < 4 }))
        #expect(outcomes.runs.values.allSatisfy { (1...2).contains($0) })
        let expected = (0..<count).filter { kinds[$0] >= 4 }.map { "app-\($0)" }
        #expect(try await Self.codes(store) == Set(expected))
    }

    @Test(
        "WIRE-26: when the transaction itself ends, no write has happened, and all callers are told",
        arguments: Engine.allCases)
    func endedTransaction(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let outcomes = await Self.together(5, in: store) { connection, number in
            _ = try connection.makeApp("app-\(number)")
            guard number == 3 else { return }
            // Like a full disk.
            try connection.execute("ROLLBACK")
            throw Rejected(number: number)
        }
        #expect(outcomes.completions == Self.all(5, 1))
        #expect(Set(outcomes.failures.keys) == Set(0..<5))
        #expect(try await Self.codes(store).isEmpty)
        // The store continues.
        _ = try await store.write { try $0.makeApp("later") }
        #expect(try await Self.codes(store) == ["later"])
    }

    @Test(
        "WIRE-26: when the commit fails, no write has happened, and all callers are told",
        arguments: Engine.allCases)
    func failedCommit(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            try connection.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
            try connection.execute(
                "CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)"
            )
        }
        let outcomes = await Self.together(4, in: store) { connection, number in
            _ = try connection.makeApp("app-\(number)")
            if number == 1 { try connection.execute("INSERT INTO children (parent) VALUES (7)") }
            if number == 2 { throw Rejected(number: 2) }
        }
        #expect(outcomes.completions == Self.all(4, 1))
        #expect(outcomes.failures.count == 4 && outcomes.failures[2] as? Rejected == Rejected(number: 2))
        guard case .rejected? = outcomes.failures[0] as? StoreError else {
            Issue.record("\(String(describing: outcomes.failures[0]))")
            return
        }
        #expect(try await Self.codes(store).isEmpty)
        _ = try await store.write { try $0.makeApp("later") }
        #expect(try await Self.codes(store) == ["later"])
    }

    @Test(
        "WIRE-26, PERF-5: ten thousand writes at once, patient ones among them, all end", .timeLimit(.minutes(10)),
        arguments: Engine.allCases)
    func crowd(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        _ = try await store.write { try $0.execute("CREATE TABLE notes (number BIGINT NOT NULL)") }
        let database = store.database
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    try await database.write(turn: number.isMultiple(of: 100) ? .patient : .next) { connection in
                        try connection.execute("INSERT INTO notes (number) VALUES (?)", [.integer(number)])
                        return number
                    }
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers.count == 10_000)
        let stored = try await store.reopened { connection in
            try connection.query("SELECT number FROM notes ORDER BY number", []) { Int($0.integer(0)) }
        }
        #expect(stored == Array(0..<10_000))
    }
}
