import BelfryStore
import Foundation
import Testing

struct SQLiteDurabilityTests {
    @Test("WIRE-26: SQLite syncs every commit, with a write-ahead log")
    func pragmas() async throws {
        try await withDurableSQLite { database, _ in
            let full: Int64 = 2
            let (synchronous, journal) = try await database.write { connection in
                (
                    try connection.first("PRAGMA synchronous", []) { $0.integer(0) },
                    try connection.first("PRAGMA journal_mode", []) { $0.text(0) }
                )
            }
            #expect(synchronous == full)
            #expect(journal == "wal")
        }
    }

    @Test("PUSH-5, WIRE-26: only a write that asks for it skips the sync, and none that comes with another or after it")
    func unsynced() async throws {
        try await withDurableSQLite { database, _ in
            let (full, normal): (Int64, Int64) = (2, 1)
            let ask: @Sendable (any SQLConnection) throws -> Int64 = { connection in
                try connection.first("PRAGMA synchronous", []) { $0.integer(0) } ?? -1
            }
            for turn in [
                WritePriority.unsynced, .next, .unsynced, .patient, .patientUnsynced, .next(cost: 7), .unsynced,
            ] {
                let found = try await database.write(turn: turn, ask)
                #expect(found == (turn.isSynced ? full : normal))
            }
            // While a write holds the writer, others gather and share the next commit.
            let together = await withTaskGroup(of: (Bool, Int64?).self) { group in
                for number in 0..<200 {
                    let turn = number % 2 == 0 ? WritePriority.unsynced : .next
                    group.addTask { (turn.isSynced, try? await database.write(turn: turn, ask)) }
                }
                return await group.reduce(into: [(Bool, Int64?)]()) { $0.append($1) }
            }
            #expect(together.allSatisfy { !$0.0 || $0.1 == full })
        }
    }

    @Test(
        """
        REL-6, WIRE-26: once a file of the database is moved, removed or replaced nothing is acknowledged; when it is \
        back in its place the store goes on
        """,
        arguments: ["", "-wal"]
    )
    func filesGone(suffix: String) async throws {
        try await withDurableSQLite { database, file in
            let path = URL(filePath: file.path + suffix)
            let away = URL(filePath: file.path + ".away")
            let write: @Sendable () async throws -> Void = { try await database.write { try $0.touchSchema() } }
            try await write()
            try FileManager.default.moveItem(at: path, to: away)
            for isReplaced in [false, true] {
                if isReplaced { try Data().write(to: path) }
                do {
                    try await write()
                    Issue.record("a write into a file that nobody finds is acknowledged")
                } catch StoreError.tryAgain(let reason) {
                    #expect(reason.contains(path.path))
                }
            }
            try FileManager.default.removeItem(at: path)
            try FileManager.default.moveItem(at: away, to: path)
            try await write()
        }
    }
}
