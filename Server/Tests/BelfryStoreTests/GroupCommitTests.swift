import BelfryServerTestSupport
import BelfryStore
import Testing

struct GroupCommitTests {
    private struct Rejected: Error, Equatable {
        let number: Int
    }

    @Test(
        "WIRE-26: each of many concurrent writes gets its own result, and all of them are durable",
        arguments: Engine.allCases)
    func concurrentWrites(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let count = 400
        let ids = try await withThrowingTaskGroup(of: (Int, Int64).self) { group in
            for number in 0..<count {
                group.addTask { (number, try await store.write { try $0.makeApp("app-\(number)") }) }
            }
            return try await group.reduce(into: [Int: Int64]()) { $0[$1.0] = $1.1 }
        }
        #expect(Set(ids.values).count == count)
        // Another process finds everything that was acknowledged.
        let stored = try await store.reopened { try $0.apps.all() }
        #expect(stored.count == count)
        for app in stored {
            #expect(app.code.rawValue == "app-\(ids.first { $0.value == app.id }?.key ?? -1)")
        }
    }

    @Test("WIRE-26: a write that fails leaves nothing behind and affects no other", arguments: Engine.allCases)
    func failingWrites(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let outcomes = await withTaskGroup(of: (Int, Rejected?).self) { group in
            for number in 0..<300 {
                group.addTask { (number, await Self.write(number, to: store)) }
            }
            return await group.reduce(into: [Int: Rejected?]()) { $0[$1.0] = $1.1 }
        }
        for (number, rejected) in outcomes {
            #expect(rejected == (Self.fails(number) ? Rejected(number: number) : nil))
        }
        let codes = try await store.reopened { try $0.apps.all().map(\.code.rawValue) }
        #expect(Set(codes) == Set((0..<300).filter { !Self.fails($0) }.map { "app-\($0)" }))
    }

    @Test("WIRE-26: a statement that the engine refuses fails only its own write", arguments: Engine.allCases)
    func engineErrors(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        try await store.write { connection in
                            _ = try connection.makeApp("app-\(number)")
                            if number.isMultiple(of: 4) { try connection.execute("INSERT INTO nowhere VALUES (1)") }
                        }
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 25)
        #expect(try await store.reopened { try $0.apps.all().count } == 75)
    }

    @Test("STO-1: a statement gets as many arguments as it has, and none from its last use", arguments: Engine.allCases)
    func arguments(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        for arguments: [SQLValue] in [[], [.text("a")], [.text("a"), .null, .null]] {
            await #expect(throws: (any Error).self) {
                try await store.write { connection in
                    let sql: SQLText = "SELECT coalesce(?, 'none') || coalesce(?, 'none')"
                    _ = try connection.query(sql, [.text("left"), .text("over")]) { $0.text(0) }
                    _ = try connection.query(sql, arguments) { $0.text(0) }
                }
            }
        }
        let text = try await store.read { connection in
            try connection.first("SELECT coalesce(?, 'none')", [.null]) { $0.text(0) }
        }
        #expect(text == "none")
    }

    @Test("WIRE-26: a read never sees half of a write", arguments: Engine.allCases)
    func consistentReads(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await store.write { connection in
                        _ = try connection.makeApp("left-\(number)")
                        _ = try connection.makeApp("right-\(number)")
                    }
                }
                group.addTask {
                    let seen = try await store.read { connection in
                        // Two statements of one read see the same moment.
                        (try connection.apps.all().count, try connection.apps.all().count)
                    }
                    #expect(seen.0.isMultiple(of: 2))
                    #expect(seen.0 == seen.1)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.apps.all().count } == 200)
    }

    @Test("WIRE-26: an acknowledged caller reads its own write", arguments: Engine.allCases)
    func ownWrites(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let id = try await store.write { try $0.makeApp("app-\(number)") }
                    #expect(try await store.read { try $0.apps.find(id: id)?.code.rawValue } == "app-\(number)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("WIRE-26: an acknowledged write is there after closing and reopening", arguments: Engine.allCases)
    func closing(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        for number in 0..<5 { _ = try await store.write { try $0.makeApp("app-\(number)") } }
        try store.close()
        #expect(try await store.reopened { try $0.apps.all().count } == 5)
    }

    private static func fails(_ number: Int) -> Bool { number % 7 == 3 }

    private static func write(_ number: Int, to store: TestStore) async -> Rejected? {
        do {
            try await store.write { connection in
                _ = try connection.makeApp("app-\(number)")
                if fails(number) { throw Rejected(number: number) }
            }
            return nil
        } catch {
            return error as? Rejected
        }
    }
}
