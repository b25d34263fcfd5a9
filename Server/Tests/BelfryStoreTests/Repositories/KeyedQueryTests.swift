import BelfryServerTestSupport
import BelfryStore
import Testing

/// FLEET-4: what is asked for many keys is asked by one statement, where the engine can.
struct KeyedQueryTests {
    private struct Mark: Hashable, Sendable {
        let place: Int64
        let name: String?
        let weight: String?
        let bytes: [UInt8]?

        init(_ row: any SQLRow) {
            place = row.integer(0)
            name = row.optionalText(1)
            weight = row.optionalText(2)
            bytes = row.isNull(3) ? nil : row.blob(3)
        }
    }

    /// By a name, below a place and so many of them, the last first.
    private static let last = KeyedQuery { asked in
        """
        SELECT place, name, weight, bytes FROM marks WHERE name = \(asked(.text)) AND place < \(asked(.integer))
        ORDER BY place DESC LIMIT \(asked(.integer))
        """
    }

    private static let exact = KeyedQuery { asked in
        "SELECT place, name, weight, bytes FROM marks WHERE weight = \(asked(.real)) AND bytes = \(asked(.bytes))"
    }

    /// A text that would be none in the written form of an array.
    private static let odd = #"{a,"b\"}, ü NULL"#

    private static func marks(_ engine: Engine) async throws -> TestStore {
        let store = try TestStore(engine)
        try await store.write { connection in
            try connection.execute(
                """
                CREATE TABLE marks (place BIGINT PRIMARY KEY, name TEXT, weight DOUBLE PRECISION,
                    bytes \(connection.dialect.blobType))
                """
            )
            try connection.executeEach(
                "INSERT INTO marks (place, name, weight, bytes) VALUES (?, ?, ?, ?)",
                [
                    [.integer(1), .text("a"), .real(0.25), .blob([0, 255])],
                    [.integer(2), .text("a"), .null, .blob([])],
                    [.integer(3), .text("a"), .real(-1.5), .blob([])],
                    [.integer(4), .text(""), .null, .null],
                    [.integer(5), .text(Self.odd), .real(0.25), .blob([39])],
                    [.integer(6), .null, .real(0.25), .null],
                ]
            )
        }
        return store
    }

    /// What each key finds, asked for together; and that it finds the same alone.
    private static func places(
        _ query: KeyedQuery, _ keys: [[SQLValue]], in store: TestStore
    ) async throws -> [[Int64]] {
        let (together, alone) = try await store.read { connection in
            let together = try connection.queryEach(query, keys) { Mark($0) }
            let alone = try Dictionary(
                uniqueKeysWithValues: Set(keys).map { key in
                    (key, try connection.query(query.rowSQL, key) { Mark($0) })
                }
            )
            return (together, alone)
        }
        #expect(together == keys.map { alone[$0] ?? [] })
        return together.map { $0.map(\.place) }
    }

    @Test(
        "FLEET-4: what is asked for many keys together is what is asked for each alone, whatever the keys are",
        arguments: Engine.allCases
    )
    func values(_ engine: Engine) async throws {
        let store = try await Self.marks(engine)
        func key(_ name: SQLValue, below place: SQLValue = .integer(9), _ limit: Int = 2) -> [SQLValue] {
            [name, place, .integer(limit)]
        }
        let found = try await Self.places(
            Self.last,
            [
                key(.text("a")), key(.text("none")), key(.null), key(.text("")), key(.text(Self.odd)), key(.text("a")),
                key(.text("a"), below: .null), key(.text("a"), below: .integer(3)), key(.text("a"), 9),
                key(.text("a"), 0), key(.text("a"), below: .integer(.min as Int64)),
                key(.text("a"), below: .integer(.max as Int64), 1),
            ],
            in: store
        )
        #expect(found == [[3, 2], [], [], [4], [5], [3, 2], [], [2, 1], [3, 2, 1], [], [], [3]])
        let exactly: [[SQLValue]] = [
            [.real(0.25), .blob([0, 255])], [.real(-1.5), .blob([])], [.null, .blob([])], [.real(0.25), .null],
            [.real(0.25), .blob([39])], [.real(1e300), .blob([0])],
        ]
        #expect(try await Self.places(Self.exact, exactly, in: store) == [[1], [3], [], [], [5], []])
        let nulls: [[SQLValue]] = [[.null, .null], [.null, .null]]
        #expect(try await Self.places(Self.exact, nulls, in: store) == [[], []])
        #expect(try await Self.places(Self.last, [], in: store).isEmpty)
        #expect(try await Self.places(Self.last, [key(.text("a"), 1)], in: store) == [[3]])
    }

    @Test("FLEET-4: more keys than one statement asks for are all answered, in their order", arguments: Engine.allCases)
    func many(_ engine: Engine) async throws {
        let store = try await Self.marks(engine)
        for count in [999, 1_000, 1_001, 2_500] {
            let keys = (0..<count).map { number -> [SQLValue] in
                [.text(number.isMultiple(of: 3) ? "none" : "a"), .integer(number % 5), .integer(2)]
            }
            let found = try await Self.places(Self.last, keys, in: store)
            #expect(found.count == count)
            let last = count - 1
            let expected = last.isMultiple(of: 3) ? [] : Self.two(below: last % 5)
            #expect(found.last == expected)
        }
    }

    /// Of the places 1 to 3 the last two below a place.
    private static func two(below place: Int) -> [Int64] {
        (1...3 as ClosedRange<Int64>).filter { $0 < place }.suffix(2).reversed()
    }

    @Test("FLEET-4: a text that the engine cannot hold is refused beside others, too")
    func rejected() async throws {
        let store = try await Self.marks(.postgres)
        let keys = ["a", "\u{0}"].map { [SQLValue.text($0), .integer(9), .integer(2)] }
        await #expect(throws: StoreError.self) {
            try await store.read { try $0.queryEach(Self.last, keys) { $0.integer(0) } }
        }
        #expect(try await Self.places(Self.last, [keys[0], keys[0]], in: store) == [[3, 2], [3, 2]])
    }
}
