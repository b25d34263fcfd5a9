import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryPostgres

/// Reading as far as there is room for long texts.
struct ByteRoomTests {
    /// Statements may have a column twice.
    private static let sql: SQLText = """
        SELECT id, name, other, id FROM things WHERE id > ? ORDER BY id DESC LIMIT ?
        """

    /// Ten rows of 100 bytes each: of 50 letters, or of 20 and another text.
    private static func store(_ engine: Engine) async throws -> TestStore {
        let store = try TestStore(engine)
        try await store.write { connection in
            _ = try connection.execute("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT NOT NULL, other TEXT)")
            for id in 1...10 {
                let hasOther = id % 2 == 0
                let name = String(repeating: "ä", count: hasOther ? 20 : 50)
                let other = hasOther ? String(repeating: "b", count: 60) : nil
                _ = try connection.execute(
                    "INSERT INTO things (id, name, other) VALUES (?, ?, ?)",
                    [.integer(id), .text(name), .optional(other)]
                )
            }
        }
        return store
    }

    @Test(
        "SEC-2: rows are read as far as there is room for their texts, and it is known whether there are more",
        arguments: Engine.allCases)
    func room(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        for (maximum, count) in [(1, 1), (100, 1), (101, 2), (900, 9), (901, 10), (Int.max, 10)] {
            let found = try await store.read { connection in
                var room = ByteRoom(maximum)
                var read = 0
                let ids = try connection.query(
                    Self.sql, [.integer(0), .integer(20)], texts: [1, 2], in: &room
                ) { row -> Int64 in
                    read += 1
                    return row.integer(3)
                }
                return (ids: ids, read: read, isCut: room.isCut)
            }
            let expected = (0..<count).map { Int64(10 - $0) }
            #expect(found.ids == expected && found.read == count && found.isCut == (count < 10), "\(maximum)")
        }
    }

    @Test("SEC-2: where one statement has filled a room, there is none for the next", arguments: Engine.allCases)
    func full(_ engine: Engine) async throws {
        let store = try await Self.store(engine)
        let found = try await store.read { connection in
            var room = ByteRoom(100)
            let first = try connection.query(Self.sql, [.integer(0), .integer(1)], texts: [1, 2], in: &room) {
                $0.integer(0)
            }
            let wasCut = room.isCut
            let second = try connection.query(Self.sql, [.integer(0), .integer(1)], texts: [1, 2], in: &room) {
                $0.integer(0)
            }
            return (first: first, wasCut: wasCut, second: second, isCut: room.isCut)
        }
        #expect(found.first == [10] && !found.wasCut && found.second.isEmpty && found.isCut)
    }

    @Test("SEC-2: PostgreSQL itself leaves out what there is no room for, and says what is the last row of all")
    func sent() async throws {
        let store = try await Self.store(.postgres)
        let sql = PostgresSQL.bounded(Self.sql, texts: [1, 2])
        let sent = try await store.read { connection in
            try [250, 10_000].map { (room: Int) in
                try connection.query(sql, [.integer(0), .integer(20), .integer(room)]) { row in
                    (id: row.integer(0), isLast: row.isNull(5))
                }
            }
        }
        #expect(sent[0].map(\.id) == [10, 9, 8] && sent[0].allSatisfy { row in !row.isLast })
        #expect(sent[1].count == 10 && sent[1].map(\.isLast) == Array(repeating: false, count: 9) + [true])
    }
}
