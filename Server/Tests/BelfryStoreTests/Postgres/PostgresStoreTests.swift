import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct PostgresStoreTests {
    @Test("STO-2: a text with the null character is refused, and affects no other write")
    func null() async throws {
        let store = try TestStore(.postgres)
        for text in ["\0", "a\0b"] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.write { try $0.execute("UPDATE devices SET locale = ?", [.text(text)]) }
            }
            #expect(error?.description.contains("null character") == true)
        }
        _ = try await store.write { try $0.makeApp() }
    }

    @Test("STO-2: texts are compared and ordered by their bytes on every engine", arguments: Engine.allCases)
    func order(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let names = ["a", "B", "é", "Z", "_", "z", "e\u{301}", "😀", "f", "-a", "10", "9"]
        let sorted = try await store.write { connection in
            try connection.execute("CREATE TABLE words (word TEXT NOT NULL)")
            try connection.execute("CREATE INDEX words_in_order ON words (word)")
            try connection.executeEach("INSERT INTO words (word) VALUES (?)", names.map { [.text($0)] })
            return (
                try connection.query("SELECT word FROM words ORDER BY word", []) { $0.text(0) },
                try connection.query("SELECT word FROM words WHERE word < ? ORDER BY lower(word)", [.text("a")]) {
                    $0.text(0)
                }
            )
        }
        let expected = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        #expect(sorted.0 == expected)
        #expect(Set(sorted.1) == ["B", "Z", "_", "-a", "10", "9"])
    }

    @Test("STO-2, PUSH-3: a token has any length, and finds its devices", arguments: Engine.allCases)
    func longToken(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        var dice = SeededGenerator(seed: 1)
        // Nothing that could be stored in less.
        let value = String((0..<20_000).map { _ in "0123456789abcdef".randomElement(using: &dice) ?? "0" })
        let found = try await store.write { connection in
            let app = try connection.makeApp()
            try connection.makeDevices(2, app: app)
            try connection.execute(
                "UPDATE devices SET push_token = ?, push_provider = 'webpush', push_environment = 'production'",
                [.text(value)]
            )
            return try connection.query(
                "SELECT id FROM devices WHERE push_token = ? AND app_id = ? ORDER BY id", [.text(value), .integer(app)]
            ) { $0.integer(0) }
        }
        #expect(found.count == 2)
    }

    @Test("STO-2: values are read back unchanged, whatever an argument's first type", arguments: Engine.allCases)
    func values(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let blob: [UInt8] = Array(0...255)
        let rows: [[SQLValue]] = [
            [.null, .null, .null, .null], [.integer(Int64.min), .real(0.1 + 0.2), .text("é\n'?$1"), .blob(blob)],
            [.integer(Int64.max), .real(-1e-300), .text(""), .blob([])], [.null, .real(1e300), .null, .blob([0])],
            [.integer(-999_999_999_999_999_999), .null, .text("\\"), .null],
        ]
        let sql: SQLText = "INSERT INTO things (a, b, c, d) VALUES (?, ?, ?, ?)"
        let read = try await store.write { connection in
            try connection.execute(
                """
                CREATE TABLE things (id \(connection.dialect.identityColumn), a BIGINT, b DOUBLE PRECISION, c TEXT,
                    d \(connection.dialect.blobType))
                """
            )
            for row in rows { try connection.execute(sql, row) }
            let written = try connection.executeEach(sql, rows)
            #expect(written == rows.count)
            return try connection.query("SELECT a, b = ?, c, d FROM things ORDER BY id", [.real(0.1 + 0.2)]) { row in
                [
                    row.isNull(0) ? SQLValue.null : .integer(row.integer(0)),
                    row.isNull(1) ? .null : .flag(row.flag(1)),
                    row.isNull(2) ? .null : .text(row.text(2)), row.isNull(3) ? .null : .blob(row.blob(3)),
                ]
            }
        }
        let expected = rows.enumerated().map { index, row in
            [row[0], row[1] == .null ? .null : .flag(index == 1), row[2], row[3]]
        }
        #expect(read == expected + expected)
    }

    @Test("STO-2: more statements than the cache holds work all the same", arguments: Engine.allCases)
    func manyStatements(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        for _ in 0..<2 {
            for first in stride(from: 0, to: 700, by: 100) {
                let sums = try await store.read { connection in
                    try (first..<(first + 100)).map { number in
                        try connection.first("SELECT \(number) + CAST(? AS BIGINT)", [.integer(1)]) { $0.integer(0) }
                    }
                }
                #expect(sums == (first..<(first + 100)).map { Int64($0 + 1) })
            }
        }
    }

    @Test("STO-2: of many rows in one statement, a refused one undoes only its write", arguments: Engine.allCases)
    func rejectedRow(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        _ = try await store.write { try $0.execute("CREATE TABLE numbers (number BIGINT PRIMARY KEY)") }
        let sql: SQLText = "INSERT INTO numbers (number) VALUES (?)"
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.write { connection in
                try connection.executeEach(sql, (0..<2_000).map { [.integer($0 == 1_300 ? 7 : $0)] })
            }
        }
        guard case .rejected? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let counted = try await store.write { connection in
            let written = try connection.executeEach(sql, (0..<2_000).map { [.integer($0)] })
            let changed = try connection.executeEach(
                "UPDATE numbers SET number = -number WHERE number = ?", (-5..<5).map { [.integer($0)] }
            )
            return [written, changed]
        }
        #expect(counted == [2_000, 5])
    }

    @Test("STO-2: every column of text is compared by bytes, in any version of the schema")
    func collations() async throws {
        let store = try TestStore(.postgres)
        let others = try await store.read { connection in
            try connection.query(
                """
                SELECT table_name || '.' || column_name FROM information_schema.columns
                WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
                """,
                []
            ) { $0.text(0) }
        }
        #expect(others.isEmpty)
    }

    @Test("WIRE-26: PostgreSQL acknowledges a write once it is on disk, even if its default differs")
    func durability() async throws {
        let store = try TestStore(.postgres)
        let settings = try await store.read { connection in
            try ["synchronous_commit", "application_name", "transaction_read_only", "transaction_isolation"].map {
                try connection.first("SELECT current_setting(?)", [.text($0)]) { $0.text(0) }
            }
        }
        #expect(settings == ["on", "belfry", "on", "repeatable read"])
        let isolation = try await store.write {
            try $0.first("SELECT current_setting('transaction_isolation')", []) { $0.text(0) }
        }
        #expect(isolation == "serializable")
        // Beside a standby it would wait for that (StandbyTests).
        let unsynced = try await store.database.write(turn: .unsynced) {
            try $0.first("SELECT current_setting('synchronous_commit')", []) { $0.text(0) }
        }
        #expect(unsynced == "off", "what would be found out again waits for no disk")
    }
}
