import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Synchronization
import Testing

@testable import BelfryCommand

@Suite("A store is moved from SQLite to PostgreSQL")
struct StoreMoverTests {
    @Test("STO-4: every row of every table of the schema is moved, whatever its values, and the file stays as it was")
    func everything() async throws {
        try await withMovedStore(rows: 23) { store in
            let tables = try await store.source.read { try $0.tableNames(.sqlite) }
            let file = try Data(contentsOf: store.file)
            let report = try await store.move()
            #expect(Set(report.map(\.name) + ["schema_version"]) == Set(tables))
            #expect(report.allSatisfy { $0.isEqual && $0.source.rows >= 23 }, "\(report.filter { !$0.isEqual })")
            #expect(try await store.isEqual())
            #expect(try Data(contentsOf: store.file) == file)
            // A server enters, and finds the newest schema.
            let opened = try await offPool { try PostgresDatabase(store.settings) }
            #expect(try await opened.read { try $0.newestSchema() } == Migration.newest)
            try await offPool { opened.close() }
            let verified = try await store.withMover { try $0.verify() }
            #expect(verified.tables == report && verified.isFinished)
        }
    }

    @Test("STO-4: the engine's numbers continue where SQLite would have continued")
    func numbers() async throws {
        try await withMovedStore(rows: 9) { store in
            // Of tables whose numbers never come again, and of those whose do.
            try await store.source.write { connection in
                for table in ["apps", "devices", "contacts", "campaigns", "audit_log", "registrations"] {
                    try connection.execute(SQLText(ofTest: "DELETE FROM \(table) WHERE id > 1005"))
                }
                try connection.execute("DELETE FROM users")
            }
            try await store.move()
            let tables = [
                "apps", "devices", "contacts", "campaigns", "users", "audit_log", "registrations", "erasures",
            ]
            let next = try await store.read { connection in
                try tables.map { table in
                    try connection.first(
                        SQLText(ofTest: "SELECT last_value, is_called FROM \"\(table)_id_seq\""), []
                    ) { $0.integer(0) + ($0.flag(1) ? 1 : 0) }
                }
            }
            #expect(next == [1009, 1009, 1009, 1009, 1009, 1006, 1006, 1009])
        }
    }

    @Test("STO-4: a move that ends at any moment is continued, with nothing doubled or lost")
    func interrupted() async throws {
        try await withMovedStore(rows: 4) { store in
            let steps = Mutex(0)
            // The numbers of steps between two ends grow, so that all tables are ended in.
            var isFinished = false
            for length in 1...300 where !isFinished {
                let interruption = MovedStore.interruption(after: length)
                do {
                    _ = try await store.withMover(
                        rows: 2,
                        tell: { progress in
                            try interruption(progress)
                            steps.withLock { $0 += 1 }
                        }
                    ) { try $0.move() }
                    isFinished = true
                } catch is MoveError {
                    // No server begins on what is not complete.
                    await #expect(throws: StoreError.unfinishedMove) {
                        try await offPool { try PostgresDatabase(store.settings) }
                    }
                } catch is MovedStore.Interruption {}
            }
            let count = steps.withLock { $0 }
            #expect(isFinished && count > 100)
            #expect(try await store.isEqual())
            let finished = await #expect(throws: MoveError.self) { try await store.move() }
            guard case .finished? = finished else {
                Issue.record("\(String(describing: finished))")
                return
            }
        }
    }

    @Test("STO-4: what the server changed between two parts of a move is moved as it is in the end")
    func changedBetween() async throws {
        try await withMovedStore(rows: 30) { store in
            await store.beginMove(steps: 200)
            let moved = try await store.read { connection in
                try connection.query("SELECT name FROM store_move_tables WHERE moved > 10 ORDER BY name", []) {
                    $0.text(0)
                }
            }
            #expect(
                moved.contains("campaigns") && !moved.contains("users"), "the test must end in the middle: \(moved)")
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
            #expect(try await store.move().allSatisfy(\.isEqual))
            #expect(try await store.isEqual())
        }
    }

    @Test("STO-4: a unique key that went from a moved row to another does not stop the move")
    func movedKey() async throws {
        try await withMovedStore(rows: 0) { store in
            try await store.source.write { connection in
                for number in 1...6 {
                    try connection.execute(
                        "INSERT INTO users (name, display_name, is_operator, created_at) VALUES (?, '', 0, 0)",
                        [.text("user-\(number)")])
                }
            }
            await #expect(throws: (any Error).self) {
                try await store.withMover(
                    rows: 3,
                    tell: { progress in
                        if progress.table == "users", progress.rows == 3 { throw MovedStore.Interruption() }
                    }
                ) { try $0.move() }
            }
            try await store.source.write { connection in
                try connection.execute("UPDATE users SET name = 'gone' WHERE id = 2")
                try connection.execute("UPDATE users SET name = 'user-2' WHERE id = 5")
            }
            #expect(try await store.move().allSatisfy(\.isEqual))
            #expect(try await store.isEqual())
        }
    }

    @Test("STO-4: large rows make small transactions")
    func largeRows() async throws {
        try await withMovedStore(rows: 12) { store in
            let reported = Mutex<[Int]>([])
            try await store.withMover(
                rows: 1_000, bytes: 600,
                tell: { progress in
                    // Its rows are large: the twelve are more than one transaction takes, and none is one by itself.
                    guard progress.phase == .moving, progress.table == "devices" else { return }
                    reported.withLock { $0.append(progress.rows) }
                }
            ) { _ = try $0.move() }
            let moved = reported.withLock { $0 }
            let steps = zip(moved.dropFirst(), moved).map { $0 - $1 }
            #expect(steps.reduce(0, +) == 12 && steps.count > 1, "\(steps)")
            #expect(try await store.isEqual())
        }
    }

    @Test("STO-4: verifying finds a row that is missing, doubled in another's place or altered, and changes nothing")
    func findsDifferences() async throws {
        try await withMovedStore(rows: 5) { store in
            try await store.move()
            let changes = [
                "DELETE FROM contacts WHERE id = 1001", "UPDATE devices SET locale = 'x' WHERE id = 1002",
                "UPDATE audience_1 SET a1_number = 5 WHERE device_id = 1003", "UPDATE events SET at = at + 1",
                """
                UPDATE rehearsal_pages SET content = set_byte(content, 5, 77) WHERE rehearsal_id = 1004
                """,
            ]
            for (number, change) in changes.enumerated() {
                try await store.script(change)
                let report = try await store.withMover { try $0.verify() }
                #expect(report.tables.count { !$0.isEqual } == number + 1, "\(change)")
                #expect(report.isFinished)
            }
            let tables = try await store.withMover { try $0.verify().tables }
            let text = MoveReport(source: "a", target: "b", tables: tables, isFinished: true, next: ["Do it."]).text
            #expect(text.contains("DIFFERENT") && text.contains("\(changes.count) of"))
            #expect(text.hasSuffix("Next:\n1. Do it."))
        }
    }

    @Test("STO-4: a null character stops the move with its place, or is replaced where that is asked for")
    func nullCharacters() async throws {
        try await withMovedStore(rows: 5) { store in
            try await store.source.write { connection in
                // The second one is a key: the next part must begin behind it all the same.
                try connection.execute("UPDATE devices SET locale = 'a' || char(0) || 'b' WHERE id = 1002")
                try connection.execute(
                    "UPDATE contact_tags SET tag = 'z' || char(0) || tag WHERE contact_id = 1001")
            }
            let error = await #expect(throws: MoveError.self) { try await store.move() }
            #expect(error?.description.contains("contact_tags") == true && error?.description.contains("'tag'") == true)
            #expect(error?.description.contains("--replace-null-characters") == true)
            let report = try await store.withMover(rows: 1, replacesNull: true) { try $0.move() }
            #expect(report.isFinished)
            let texts = try await store.read { connection in
                [
                    try connection.first("SELECT locale FROM devices WHERE id = 1002", []) { $0.text(0) },
                    try connection.first("SELECT tag FROM contact_tags WHERE contact_id = 1001", []) {
                        String($0.text(0).prefix(2))
                    },
                ]
            }
            #expect(texts == ["a\u{FFFD}b", "z\u{FFFD}"])
        }
    }

    @Test("STO-4: a value that SQLite took and PostgreSQL cannot stops the move with its place")
    func strangeValues() async throws {
        try await withMovedStore(rows: 5) { store in
            _ = try await store.source.write { try $0.execute("UPDATE devices SET revision = 'seven' WHERE id = 1002") }
            let error = await #expect(throws: MoveError.self) { try await store.move() }
            let problem = RowError.Problem.otherKind(wanted: .integer)
            #expect(error == .unmovable(table: "devices", column: "revision", key: "1002", problem: problem))
            _ = try await store.source.write { try $0.execute("UPDATE devices SET revision = 7 WHERE id = 1002") }
            #expect(try await store.move().allSatisfy(\.isEqual))
            #expect(try await store.isEqual())
        }
    }

    @Test("STO-4: the schema has no foreign keys, so tables may be moved in any order", arguments: Engine.allCases)
    func foreignKeys(_ engine: Engine) async throws {
        try await withStore(engine) { store in
            let count = try await store.read { connection in
                switch engine {
                case .sqlite:
                    try connection.tableNames(engine).reduce(0) { count, table in
                        try count
                            + connection.query("SELECT * FROM pragma_foreign_key_list(?)", [.text(table)]) { _ in }
                            .count
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

    /// Gives a body a store of its own, which is made and cleared away on threads of its own.
    private func withStore(_ engine: Engine, _ body: (TestStore) async throws -> Void) async throws {
        let store = try await offPool { try TestStore(engine, isKept: true) }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(store))
        } catch {
            outcome = .failure(error)
        }
        try await offPool {
            try store.close()
            if engine == .postgres { TestPostgres.dropSchema(store.place.lastPathComponent) }
        }
        try outcome.get()
    }
}
