import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryCommand

@Suite("A store is moved from SQLite to PostgreSQL")
struct StoreMoverTests {
    private struct Interruption: Error {}

    @Test("STO-4: every row of every table of the schema is moved, whatever its values, and the file stays as it was")
    func everything() async throws {
        let store = try await MovedStore(rows: 23)
        let tables = try await store.source.read { try $0.tableNames(.sqlite) }
        let file = try Data(contentsOf: store.file)
        let report = try store.move()
        #expect(Set(report.map(\.name) + ["schema_version"]) == Set(tables))
        #expect(report.allSatisfy { $0.isEqual && $0.source.rows >= 23 }, "\(report.filter { !$0.isEqual })")
        #expect(try await store.isEqual())
        #expect(try Data(contentsOf: store.file) == file)
        // A server enters, and finds the newest schema.
        let opened = try PostgresDatabase(store.settings)
        defer { opened.close() }
        #expect(try await opened.read { try $0.newestSchema() } == Migration.newest)
        let verified = try store.withMover { try $0.verify() }
        #expect(verified.tables == report && verified.isFinished)
    }

    @Test("STO-4: the engine's numbers continue where SQLite would have continued")
    func numbers() async throws {
        let store = try await MovedStore(rows: 9)
        // Of tables whose numbers never come again, and of those whose do.
        try await store.source.write { connection in
            for table in ["apps", "devices", "contacts", "campaigns", "audit_log", "registrations"] {
                try connection.execute(SQLText(ofTest: "DELETE FROM \(table) WHERE id > 1005"))
            }
            try connection.execute("DELETE FROM users")
        }
        try store.move()
        let next = try store.read { connection in
            try ["apps", "devices", "contacts", "campaigns", "users", "audit_log", "registrations", "erasures"].map {
                table in
                try connection.first(
                    SQLText(ofTest: "SELECT last_value, is_called FROM \"\(table)_id_seq\""), []
                ) { $0.integer(0) + ($0.flag(1) ? 1 : 0) }
            }
        }
        #expect(next == [1009, 1009, 1009, 1009, 1009, 1006, 1006, 1009])
    }

    @Test("STO-4: a move that ends at any moment is continued, with nothing doubled or lost")
    func interrupted() async throws {
        let store = try await MovedStore(rows: 4)
        var steps = 0
        // The numbers of steps between two ends grow, so that all tables are ended in.
        var isFinished = false
        for length in 1...300 where !isFinished {
            var left = length
            do {
                _ = try store.withMover(
                    rows: 2,
                    tell: { _ in
                        left -= 1
                        guard left >= 0 else { throw Interruption() }
                        steps += 1
                    }
                ) { try $0.move() }
                isFinished = true
            } catch is MoveError {
                // No server begins on what is not complete.
                #expect(throws: StoreError.unfinishedMove) { try PostgresDatabase(store.settings) }
            } catch is Interruption {}
        }
        #expect(isFinished && steps > 100)
        #expect(try await store.isEqual())
        let finished = #expect(throws: MoveError.self) { try store.move() }
        guard case .finished? = finished else {
            Issue.record("\(String(describing: finished))")
            return
        }
    }

    @Test("STO-4: what the server changed between two parts of a move is moved as it is in the end")
    func changedBetween() async throws {
        let store = try await MovedStore(rows: 30)
        var left = 200
        #expect(throws: (any Error).self) {
            try store.withMover(tell: { progress in
                left -= 1
                if left < 0 { throw Interruption() }
            }) { try $0.move() }
        }
        let moved = try store.read { connection in
            try connection.query("SELECT name FROM store_move_tables WHERE moved > 10 ORDER BY name", []) { $0.text(0) }
        }
        #expect(moved.contains("campaigns") && !moved.contains("users"), "the test must end in the middle: \(moved)")
        try await store.source.write { connection in
            try connection.execute("UPDATE apps SET name = 'Renamed' WHERE id = 1003")
            try connection.execute("DELETE FROM campaigns WHERE id = 1004")
            try connection.execute("INSERT INTO audit_log (id, at, actor, action) VALUES (5, 1, 'root', 'test')")
            for row in [(2_000 as Int64, "b"), (2_001, "c")] {
                try connection.execute(
                    "INSERT INTO campaign_comments (id, campaign_id, created_at, text) VALUES (?, 1, 1, ?)",
                    [.integer(row.0), .text(row.1)])
            }
        }
        #expect(try store.move().allSatisfy(\.isEqual))
        #expect(try await store.isEqual())
    }

    @Test("STO-4: a unique key that went from a moved row to another does not stop the move")
    func movedKey() async throws {
        let store = try await MovedStore(rows: 0)
        try await store.source.write { connection in
            for number in 1...6 {
                try connection.execute(
                    "INSERT INTO users (name, display_name, is_operator, created_at) VALUES (?, '', 0, 0)",
                    [.text("user-\(number)")])
            }
        }
        #expect(throws: (any Error).self) {
            try store.withMover(
                rows: 3,
                tell: { progress in
                    if progress.table == "users", progress.rows == 3 { throw Interruption() }
                }
            ) { try $0.move() }
        }
        try await store.source.write { connection in
            try connection.execute("UPDATE users SET name = 'gone' WHERE id = 2")
            try connection.execute("UPDATE users SET name = 'user-2' WHERE id = 5")
        }
        #expect(try store.move().allSatisfy(\.isEqual))
        #expect(try await store.isEqual())
    }

    @Test("STO-4: large rows make small transactions")
    func largeRows() async throws {
        let store = try await MovedStore(rows: 12)
        var moved: [Int] = []
        try store.withMover(
            rows: 1_000, bytes: 600,
            tell: { progress in
                // Its rows are large: the twelve are more than one transaction takes, and none is one by itself.
                if progress.phase == .moving, progress.table == "devices" { moved.append(progress.rows) }
            }
        ) { _ = try $0.move() }
        let steps = zip(moved.dropFirst(), moved).map { $0 - $1 }
        #expect(steps.reduce(0, +) == 12 && steps.count > 1, "\(steps)")
        #expect(try await store.isEqual())
    }

    @Test("STO-4: verifying finds a row that is missing, doubled in another's place or altered, and changes nothing")
    func findsDifferences() async throws {
        let store = try await MovedStore(rows: 5)
        try store.move()
        let changes = [
            "DELETE FROM contacts WHERE id = 1001", "UPDATE devices SET locale = 'x' WHERE id = 1002",
            "UPDATE audience_1 SET a1_number = 5 WHERE device_id = 1003", "UPDATE events SET at = at + 1",
            """
            UPDATE rehearsal_pages SET content = set_byte(content, 5, 77) WHERE rehearsal_id = 1004
            """,
        ]
        for (number, change) in changes.enumerated() {
            try store.script(change)
            let report = try store.withMover { try $0.verify() }
            #expect(report.tables.count { !$0.isEqual } == number + 1, "\(change)")
            #expect(report.isFinished)
        }
        let text = MoveReport(
            source: "a", target: "b", tables: try store.withMover { try $0.verify().tables }, isFinished: true,
            next: ["Do it."]
        ).text
        #expect(text.contains("DIFFERENT") && text.contains("\(changes.count) of"))
        #expect(text.hasSuffix("Next:\n1. Do it."))
    }

    @Test("STO-4: a null character stops the move with its place, or is replaced where that is asked for")
    func nullCharacters() async throws {
        let store = try await MovedStore(rows: 5)
        try await store.source.write { connection in
            // The second one is a key: the next part must begin behind it all the same.
            try connection.execute("UPDATE devices SET locale = 'a' || char(0) || 'b' WHERE id = 1002")
            try connection.execute(
                "UPDATE contact_tags SET tag = 'z' || char(0) || tag WHERE contact_id = 1001")
        }
        let error = #expect(throws: MoveError.self) { try store.move() }
        #expect(error?.description.contains("contact_tags") == true && error?.description.contains("'tag'") == true)
        #expect(error?.description.contains("--replace-null-characters") == true)
        let report = try store.withMover(rows: 1, replacesNull: true) { try $0.move() }
        #expect(report.isFinished)
        let texts = try store.read { connection in
            [
                try connection.first("SELECT locale FROM devices WHERE id = 1002", []) { $0.text(0) },
                try connection.first("SELECT tag FROM contact_tags WHERE contact_id = 1001", []) {
                    String($0.text(0).prefix(2))
                },
            ]
        }
        #expect(texts == ["a\u{FFFD}b", "z\u{FFFD}"])
    }

    @Test("STO-4: a value that SQLite took and PostgreSQL cannot stops the move with its place")
    func strangeValues() async throws {
        let store = try await MovedStore(rows: 5)
        _ = try await store.source.write { try $0.execute("UPDATE devices SET revision = 'seven' WHERE id = 1002") }
        let error = #expect(throws: MoveError.self) { try store.move() }
        #expect(
            error
                == .unmovable(table: "devices", column: "revision", key: "1002", problem: .otherKind(wanted: .integer)))
        _ = try await store.source.write { try $0.execute("UPDATE devices SET revision = 7 WHERE id = 1002") }
        #expect(try store.move().allSatisfy(\.isEqual))
        #expect(try await store.isEqual())
    }

    @Test("STO-4: the schema has no foreign keys, so tables may be moved in any order", arguments: Engine.allCases)
    func foreignKeys(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let count = try await store.read { connection in
            switch engine {
            case .sqlite:
                try connection.tableNames(engine).reduce(0) { count, table in
                    try count
                        + connection.query("SELECT * FROM pragma_foreign_key_list(?)", [.text(table)]) { _ in }.count
                }
            case .postgres:
                try connection.query(
                    """
                    SELECT c.conname FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
                    WHERE c.contype = 'f' AND n.nspname = current_schema()
                    """, []
                ) { _ in }.count
            }
        }
        #expect(count == 0, "let StoreMover sort the tables by what refers to what")
    }
}
