import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Synchronization
import Testing

/// STO-2: a write that meets a key which somebody else has just taken looks again.
struct TakenKeyTests {
    private struct Rejected: Error {}

    /// How often something has happened.
    private final class Times: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        /// - Returns: how often, with this time.
        @discardableResult
        func add() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    private static let insert: SQLText = "INSERT INTO things (id) VALUES (?)"

    private static func store() async throws -> TestStore {
        let store = try TestStore(.postgres)
        try await store.write { connection in
            _ = try connection.execute("CREATE TABLE things (id BIGINT PRIMARY KEY)")
        }
        return store
    }

    private static func ids(_ store: TestStore) async throws -> [Int64] {
        try await store.read { try $0.query("SELECT id FROM things ORDER BY id", []) { $0.integer(0) } }
    }

    /// Makes a thing unless it is there, and lets something happen between the look and the write.
    ///
    /// - Returns: whether it was made.
    private static func make(
        _ id: Int64, in connection: any SQLConnection, meanwhile: () -> Void
    ) throws -> Bool {
        let found = try connection.first("SELECT id FROM things WHERE id = ?", [.integer(id)]) { $0.integer(0) }
        guard found == nil else { return false }
        meanwhile()
        try connection.execute(insert, [.integer(id)])
        return true
    }

    /// Another process makes a thing, and has committed it when this returns.
    private static func make(_ id: Int64, by other: any SQLDatabase) {
        let made = Handover<Bool>()
        other.write(turn: .next) { connection in
            try connection.execute(insert, [.integer(id)])
        } completion: { result in
            made.give((try? result.get()) == 1)
        }
        let isMade = made.wait()
        #expect(isMade == true)
    }

    @Test("STO-2, REG-20: a row that another process has made meanwhile refuses nobody who looks for it")
    func madeMeanwhile() async throws {
        let store = try await Self.store()
        let other = try store.another()
        defer { try? other.close() }
        let runs = Times()
        let isNew = try await store.write { connection in
            let run = runs.add()
            return try Self.make(7, in: connection) {
                if run == 1 { Self.make(7, by: other.database) }
            }
        }
        #expect(!isNew && runs.count == 2)
        #expect(try await Self.ids(store) == [7])
    }

    @Test("STO-2: a number that another process has taken meanwhile is followed by the next one, more than once")
    func numbers() async throws {
        let store = try await Self.store()
        let other = try store.another()
        defer { try? other.close() }
        let runs = Times()
        let number = try await store.write { connection in
            let run = runs.add()
            let next = try connection.first("SELECT coalesce(max(id), 0) + 1 FROM things", []) { $0.integer(0) } ?? 1
            if run < 3 { Self.make(next, by: other.database) }
            try connection.execute(Self.insert, [.integer(next)])
            return next
        }
        #expect(number == 3)
        #expect(try await Self.ids(store) == [1, 2, 3])
    }

    @Test("STO-2: a key that stays taken refuses the write, at the third time")
    func taken() async throws {
        let store = try await Self.store()
        try await store.write { _ = try $0.execute(Self.insert, [.integer(1)]) }
        let runs = Times()
        let error = await #expect(throws: StoreError.self) {
            try await store.write { connection in
                runs.add()
                try connection.execute(Self.insert, [.integer(1)])
            }
        }
        guard case .rejected? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(runs.count == 3)
    }

    @Test("STO-2, WIRE-26: a key that was taken while writes ran apart, for one has failed, refuses none of them")
    func apart() async throws {
        let store = try await Self.store()
        let other = try store.another()
        defer { try? other.close() }
        let (results, signal) = AsyncStream<(Int, Result<Bool, any Error>)>.makeStream()
        let runs = Times()
        let database = store.database
        // While the writer is at work: they share the commit that follows.
        try await store.write { _ in
            database.write(turn: .next) { connection in
                try connection.execute(Self.insert, [.integer(10)]) == 1
            } completion: {
                signal.yield((0, $0))
            }
            database.write(turn: .next) { connection in
                let run = runs.add()
                return try Self.make(7, in: connection) {
                    if run == 2 { Self.make(7, by: other.database) }
                }
            } completion: {
                signal.yield((1, $0))
            }
            database.write(turn: .next) { connection -> Bool in
                try connection.execute(Self.insert, [.integer(11)])
                throw Rejected()
            } completion: {
                signal.yield((2, $0))
            }
        }
        var outcomes: [Int: Result<Bool, any Error>] = [:]
        for await (number, result) in results {
            outcomes[number] = result
            if outcomes.count == 3 { break }
        }
        #expect(try outcomes[0]?.get() == true)
        #expect(try outcomes[1]?.get() == false)
        #expect(throws: Rejected.self) { try outcomes[2]?.get() }
        #expect(try await Self.ids(store) == [7, 10])
    }

    @Test("STO-2: of two processes that define an attribute each at once both do", .timeLimit(.minutes(10)))
    func attributes() async throws {
        let store = try await TestStore.withApps(.postgres, isRecycled: false)
        let other = try store.another()
        defer { try? other.close() }
        let (results, signal) = AsyncStream<Result<Void, any Error>>.makeStream()
        let ended = Times()
        let key = try AttributeKey("city")
        let otherKey = try AttributeKey("street")
        try await store.write { connection in
            try connection.attributes.define(key, type: .string, app: 1, now: storeEpoch)
            other.database.write(turn: .next) {
                try $0.attributes.define(otherKey, type: .string, app: 1, now: storeEpoch)
            } completion: {
                signal.yield($0)
                ended.add()
            }
            // By then it has chosen the number of its column, and the table gets one of this number before it goes on.
            while try ended.count == 0 && !connection.isWaitedFor("audience_1") {}
        }
        for await result in results {
            try result.get()
            break
        }
        let schema = try await store.read { try $0.attributes.schema(app: 1) }
        #expect(schema == ["city": .string, "street": .string])
    }
}

extension SQLConnection {
    /// Whether a transaction waits until it may touch a table.
    fileprivate func isWaitedFor(_ table: String) throws -> Bool {
        try first(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = to_regclass(?)", [.text(table)]
        ) { $0.flag(0) } ?? false
    }
}
