import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Synchronization
import Testing

private struct Died: Error {}

/// FLEET-4: what goes out together fails together, and nothing else with it.
struct PostgresPipelineTests {
    private static let insert: SQLText = "INSERT INTO things (id, name) VALUES (?, ?)"

    private static func store() async throws -> TestStore {
        let store = try TestStore(.postgres)
        try await store.write { connection in
            _ = try connection.execute("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT NOT NULL)")
        }
        return store
    }

    private static func ids(_ store: TestStore) async throws -> [Int64] {
        try await store.read { try $0.query("SELECT id FROM things ORDER BY id", []) { $0.integer(0) } }
    }

    @Test("FLEET-4: a write whose first statement is refused, with the beginning of its transaction, leaves nothing")
    func rejectedFirst() async throws {
        let store = try await Self.store()
        for name in [SQLValue.null, .text("\u{0}")] {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.execute(Self.insert, [.integer(1), name]) }
            }
            guard case .rejected? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        try await store.write { _ = try $0.execute(Self.insert, [.integer(2), .text("two")]) }
        #expect(try await Self.ids(store) == [2])
    }

    @Test("FLEET-4: a body that gets over a refusal of its first statement does nothing outside of its transaction")
    func swallowed() async throws {
        let store = try await Self.store()
        await #expect(throws: StoreError.self) {
            try await store.write { connection in
                _ = try? connection.execute(Self.insert, [.integer(1), .null])
                _ = try? connection.execute(Self.insert, [.integer(2), .text("two")])
            }
        }
        #expect(try await Self.ids(store).isEmpty)
    }

    @Test("FLEET-4: a body that ends before its first statement leaves the connection as it was")
    func nothingSaid() async throws {
        let store = try await Self.store()
        await #expect(throws: Died.self) { try await store.write { _ in throw Died() } }
        try await store.write { _ in }
        try await store.write { _ = try $0.execute(Self.insert, [.integer(1), .text("one")]) }
        #expect(try await Self.ids(store) == [1])
    }

    @Test("FLEET-4: a statement with too few arguments is refused as what it is, and the connection goes on")
    func tooFewArguments() async throws {
        let store = try await Self.store()
        for _ in 0..<2 {
            do {
                try await store.write { _ = try $0.execute(Self.insert, [.integer(1)]) }
                Issue.record("it was not refused")
            } catch {
                #expect("\(error)".contains("has 2 parameters, not 1"))
            }
        }
        try await store.write { _ = try $0.execute(Self.insert, [.integer(1), .text("one")]) }
        #expect(try await Self.ids(store) == [1])
    }

    @Test("FLEET-4: a statement that is refused when it is prepared is refused each time")
    func notPrepared() async throws {
        let store = try await Self.store()
        for _ in 0..<2 {
            await #expect(throws: (any Error).self) {
                try await store.read { try $0.query("SELECT nothing FROM things", []) { $0.integer(0) } }
            }
            #expect(try await Self.ids(store).isEmpty)
        }
    }

    @Test("FLEET-4: what many rows have of nulls and types makes no difference, wherever the statement is prepared")
    func nulls() async throws {
        let store = try await Self.store()
        let found = try await store.write { connection in
            try connection.execute("CREATE TABLE parts (id BIGINT PRIMARY KEY, weight DOUBLE PRECISION, note TEXT)")
            try connection.executeEach(
                "INSERT INTO parts (id, weight, note) VALUES (?, ?, ?)",
                [
                    [.integer(1), .null, .null], [.integer(2), .real(0.5), .null], [.integer(3), .null, .text("c")],
                ]
            )
            let query = KeyedQuery { "SELECT weight = 0.5, note FROM parts WHERE id = \($0(.integer))" }
            return try connection.queryEach(query, [3, 2, 9, 1].map { [.integer($0)] }) {
                [$0.isNull(0) ? "" : "\($0.flag(0))", $0.text(1)]
            }
        }
        #expect(found == [[["", "c"]], [["true", ""]], [], [["", ""]]])
    }

    @Test(
        "FLEET-4, STO-2: a connection that ends behind a read, whose end nobody waits for, affects nobody",
        .timeLimit(.minutes(10))
    )
    func endedBehindRead() async throws {
        let store = try await Self.store()
        for _ in 0..<3 {
            #expect(try await Self.ids(store).isEmpty)
            let process = try await store.read { try $0.first("SELECT pg_backend_pid()", []) { $0.integer(0) } }
            let schema = store.place.lastPathComponent
            try PostgresScript.run(
                SQLText(ofTest: "SELECT pg_terminate_backend(\(process ?? 0), 10000)"),
                at: TestPostgres.address(schema: schema)
            )
        }
        #expect(try await Self.ids(store).isEmpty)
    }

    @Test("FLEET-4: a read leaves no transaction open behind it")
    func ended() async throws {
        let store = try await Self.store()
        let process = try await store.read { try $0.first("SELECT pg_backend_pid()", []) { $0.integer(0) } }
        var state: String?
        // The server is told, and nobody waits for that.
        while state != "idle" {
            state = try await store.write { connection in
                try connection.first(
                    "SELECT state FROM pg_stat_activity WHERE pid = ?", [.integer(process ?? 0)]
                ) { $0.text(0) }
            }
        }
    }
}

/// FLEET-4: rows that are written together, and calls that are run together.
struct JointCallTests {
    private static let insert = KeyedInsert(
        into: "marks",
        [.init("place", .integer), .init("name", .text), .init("weight", .real), .init("bytes", .bytes)],
        key: [0, 1]
    )

    private static func store(_ engine: Engine) async throws -> TestStore {
        let store = try TestStore(engine)
        try await store.write { connection in
            _ = try connection.execute(
                """
                CREATE TABLE marks (place BIGINT NOT NULL, name TEXT NOT NULL, weight DOUBLE PRECISION,
                    bytes \(connection.dialect.blobType), PRIMARY KEY (place, name))
                """
            )
        }
        return store
    }

    private static func row(_ place: Int, _ name: String) -> [SQLValue] {
        [
            .integer(place), .text(name), place.isMultiple(of: 2) ? .null : .real(0.25),
            place.isMultiple(of: 3) ? .null : .blob([0, 255, UInt8(place % 256)]),
        ]
    }

    @Test("FLEET-4, EVT-3: of many rows those are told of that are new, each once", arguments: Engine.allCases)
    func insertNew(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let first = try await store.write { try $0.insertNew(Self.insert, [Self.row(1, "a"), Self.row(2, "ü")]) }
        #expect(first == [true, true])
        let second = try await store.write { connection in
            try connection.insertNew(
                Self.insert,
                [Self.row(1, "b"), Self.row(1, "a"), Self.row(3, ""), Self.row(1, "b"), Self.row(2, "ü")]
            )
        }
        #expect(second == [true, false, true, false, false])
        let many = (0..<2_500).map { Self.row($0 / 2 + 10, "name") }
        let third = try await store.write { try $0.insertNew(Self.insert, many) }
        #expect(third == (0..<2_500).map { $0.isMultiple(of: 2) })
        #expect(try await store.write { try $0.insertNew(Self.insert, []) }.isEmpty)
        let found = try await store.read { connection in
            try connection.query(
                "SELECT name, weight = 0.25, bytes FROM marks WHERE place < 4 ORDER BY place, name", []
            ) { row in
                (row.text(0), row.isNull(1) ? nil : row.flag(1), row.isNull(2) ? nil : row.blob(2))
            }
        }
        #expect(found.map(\.0) == ["a", "b", "ü", ""])
        #expect(found.map(\.1) == [true, true, nil, true])
        #expect(found.map(\.2) == [[0, 255, 1], [0, 255, 1], [0, 255, 2], nil])
    }

    @Test(
        "FLEET-4, EVT-3: two texts that look alike are two keys, and each is told of by itself",
        arguments: Engine.allCases
    )
    func alike(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let inserted = try await store.write { connection in
            [
                try connection.insertNew(Self.insert, [Self.row(1, composed), Self.row(1, "a")]),
                try connection.insertNew(Self.insert, [Self.row(1, composed), Self.row(1, decomposed)]),
                try connection.insertNew(
                    Self.insert, [Self.row(2, composed), Self.row(1, "a"), Self.row(2, decomposed)]
                ),
            ]
        }
        #expect(inserted == [[true, true], [false, true], [true, false, true]])
    }

    @Test("STO-2: a text with the null character is refused among many rows as well, and none is written")
    func nullCharacter() async throws {
        let store = try await Self.store(.postgres)
        await #expect(throws: StoreError.self) {
            _ = try await store.write { try $0.insertNew(Self.insert, [Self.row(1, "a"), Self.row(2, "b\0c")]) }
        }
        let written = try await store.read { try $0.query("SELECT place FROM marks", []) { $0.integer(0) } }
        #expect(written.isEmpty)
    }

    private static func together<Output: Sendable>(
        _ items: [Int],
        _ start: @escaping @Sendable (Int, @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
    ) async -> [Result<Output, any Error>] {
        await withTaskGroup(of: (Int, Result<Output, any Error>).self) { group in
            for item in items {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        start(item) { continuation.resume(returning: (item, $0)) }
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    @Test(
        "FLEET-4, WIRE-26: of writes that are run together one that fails affects no other",
        .timeLimit(.minutes(10)), arguments: Engine.allCases
    )
    func writes(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let call = JointCall<Int, Int> { items, connection in
            let fits = items.filter { $0 % 7 != 3 }
            let isNew = try connection.insertNew(
                Self.insert, fits.map { $0 % 11 == 5 ? [.integer($0), .null, .null, .null] : Self.row($0, "n") }
            )
            #expect(isNew.allSatisfy { $0 })
            return items.map { $0 % 7 == 3 ? .failure(Died()) : .success($0 * 2) }
        }
        let numbers = Array(0..<200)
        let results = await Self.together(numbers) { item, completion in
            store.database.write(item, of: call, turn: .next, completion: completion)
        }
        for (number, result) in zip(numbers, results) {
            switch result {
            case .success(let value): #expect(value == number * 2 && number % 7 != 3 && number % 11 != 5)
            case .failure(is Died): #expect(number % 7 == 3)
            case .failure: #expect(number % 11 == 5)
            }
        }
        let written = try await store.read {
            try $0.query("SELECT place FROM marks ORDER BY place", []) { $0.integer(0) }
        }
        #expect(written == numbers.filter { $0 % 7 != 3 && $0 % 11 != 5 }.map(Int64.init))
    }

    @Test(
        "FLEET-4: reads that are run together each get their own answer, and see what was there before they came",
        .timeLimit(.minutes(10)), arguments: Engine.allCases
    )
    func reads(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let call = JointCall<Int, Bool> { items, connection in
            let query = KeyedQuery { "SELECT 1 FROM marks WHERE place = \($0(.integer))" }
            let found = try connection.queryEach(query, items.map { [.integer($0)] }) { $0.flag(0) }
            return zip(items, found).map { $0 % 7 == 3 ? .failure(Died()) : .success(!$1.isEmpty) }
        }
        let numbers = Array(0..<200)
        let results = await Self.together(numbers) { item, completion in
            store.database.write { connection in
                if item.isMultiple(of: 2) { _ = try connection.insertNew(Self.insert, [Self.row(item, "n")]) }
            } completion: { _ in
                store.database.read(item, of: call, completion: completion)
            }
        }
        for (number, result) in zip(numbers, results) {
            switch result {
            case .success(let isThere): #expect(isThere == number.isMultiple(of: 2) && number % 7 != 3)
            case .failure(let error): #expect(error is Died && number % 7 == 3)
            }
        }
    }

    @Test("FLEET-4: reads that wait for a connection ask for one, and share it", .timeLimit(.minutes(10)))
    func oneConnection() async throws {
        let store = try await Self.store(.postgres)
        let database = try #require(store.database as? PostgresDatabase)
        func readers() throws -> ConnectionPoolUse { try #require(database.pools.first { $0.name == "reader" }) }
        let size = try readers().size
        let gates = (0..<size).map { _ in Handover<Bool>() }
        let numbers = Array(0..<10)
        let answers = try await withThrowingTaskGroup(of: Void.self) { group in
            for gate in gates { group.addTask { try await store.read { _ in _ = gate.wait() } } }
            while try readers().lent < size { await Task.yield() }
            let call = JointCall<Int, Int> { items, _ in items.map { .success($0) } }
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            for number in numbers {
                database.read(number, of: call) { continuation.yield((try? $0.get()) ?? -1) }
            }
            let waiting = try readers().waiting
            for gate in gates { gate.give(true) }
            #expect(waiting == 1)
            var answers: [Int] = []
            for await answer in stream {
                answers.append(answer)
                if answers.count == numbers.count { break }
            }
            try await group.waitForAll()
            return answers
        }
        #expect(answers == numbers)
    }

    @Test("FLEET-4: of reads that share a view one that the server refuses is refused alone", .timeLimit(.minutes(10)))
    func rejectedRead() async throws {
        let store = try await Self.store(.postgres)
        let results = await Self.together(Array(0..<50)) { item, completion in
            store.database.read(
                { connection in
                    try connection.first("SELECT 10 / CAST(? AS BIGINT)", [.integer(item % 5)]) { $0.integer(0) } ?? 0
                }, completion: completion)
        }
        for (number, result) in results.enumerated() {
            let expected: Int64? = number % 5 == 0 ? nil : 10 / Int64(number % 5)
            #expect((try? result.get()) == expected)
        }
    }
}
