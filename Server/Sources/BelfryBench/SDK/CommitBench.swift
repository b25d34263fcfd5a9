import Foundation
import GRDBSQLite

/// The yardstick of `track` (PERF-8): a row of the same size, committed by a prepared SQLite statement alone, with the
/// settings of the device's store.
struct CommitBench {
    let file: URL
    let rows: Int
    /// The size of a row's body in bytes.
    let bodyBytes: Int

    /// - Returns: the duration of each commit, in microseconds.
    func run() throws -> [Double] {
        var opened: OpaquePointer?
        defer { sqlite3_close_v2(opened) }
        try check(sqlite3_open(file.path, &opened), opened)
        try check(sqlite3_exec(opened, Self.preparation, nil, nil, nil), opened)
        var prepared: OpaquePointer?
        defer { sqlite3_finalize(prepared) }
        let insert = "INSERT INTO event (owner, tracked_at, bytes, body) VALUES (?, ?, ?, ?)"
        try check(sqlite3_prepare_v2(opened, insert, -1, &prepared, nil), opened)
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes)
        let clock = ContinuousClock()
        return try body.withUnsafeBytes { body in
            try (0..<rows).map { number in
                let before = clock.now
                sqlite3_bind_int64(prepared, 1, 1)
                sqlite3_bind_int64(prepared, 2, Int64(number))
                sqlite3_bind_int64(prepared, 3, Int64(bodyBytes))
                // Without a destructor SQLite uses the bytes in place. They outlive the step.
                sqlite3_bind_blob(prepared, 4, body.baseAddress, Int32(bodyBytes), nil)
                guard sqlite3_step(prepared) == SQLITE_DONE else { throw CommitBenchError(opened) }
                try check(sqlite3_reset(prepared), opened)
                return (clock.now - before).inMicroseconds
            }
        }
    }

    private func check(_ code: Int32, _ database: OpaquePointer?) throws {
        guard code == SQLITE_OK else { throw CommitBenchError(database) }
    }

    private static let preparation = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA wal_autocheckpoint = 2000;
        PRAGMA secure_delete = ON;
        CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner INTEGER NOT NULL,
            tracked_at INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            body BLOB NOT NULL
        );
        """
}

struct CommitBenchError: Error, CustomStringConvertible {
    private let text: String

    init(_ database: OpaquePointer?) {
        text = String(cString: sqlite3_errmsg(database))
    }

    var description: String { "SQLite could not commit a row to compare with: \(text)" }
}
