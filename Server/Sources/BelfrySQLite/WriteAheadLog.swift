import BelfryStore
import Foundation
import GRDB

/// The log beside the database file, which holds every commit until it is copied back (WAL mode).
package struct WriteAheadLog: Sendable {
    /// Pages of 4 KiB that the log holds before a commit copies them back: a page that many devices' events change
    /// again and again is copied once, not each time.
    package static let checkpointPages = 8_000
    /// A log that grew larger than this while readers kept it from being copied is cut to this size, in bytes.
    static let keptBytes = 64 << 20
    /// How long ``giveBack(in:busyTimeout:)`` waits for readers of the log, in milliseconds: writers wait as long.
    private static let patience = 100

    private let path: String

    /// - Parameters:
    ///   - path: the path of the database file.
    init(ofDatabaseAt path: String) {
        self.path = path + "-wal"
    }

    /// The size of the log in bytes: the database file may have to grow by as much.
    var bytes: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Copies the whole log into the database file, and truncates it to zero. If readers still use the log, it does as
    /// much as it can, without throwing.
    ///
    /// - Throws: the engine's error when the database file cannot grow enough.
    static func giveBack(in database: GRDB.Database, busyTimeout: TimeInterval) throws {
        let brief: SQLText = "PRAGMA busy_timeout = \(patience)"
        let usual: SQLText = "PRAGMA busy_timeout = \(Int(busyTimeout * 1_000))"
        try database.execute(sql: brief.statement)
        defer { try? database.execute(sql: usual.statement) }
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
