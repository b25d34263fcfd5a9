import BelfryStore
import Foundation
import GRDB

/// The log beside the database's file, in which every commit stands until it is copied back (WAL mode).
package struct WriteAheadLog: Sendable {
    /// Pages of 4 KiB that it holds before a commit copies them back: pages that many devices' events touch again and
    /// again are copied once, not each time.
    package static let checkpointPages = 8_000
    /// A log that grew beyond this while readers kept it from being copied gives the rest back, in bytes.
    static let keptBytes = 64 << 20
    /// How long ``giveBack(in:)`` waits for readers of what stands in it, in milliseconds: writers wait as long.
    private static let patience = 100

    private let path: String

    /// - Parameters:
    ///   - path: of the database's file.
    init(ofDatabaseAt path: String) {
        self.path = path + "-wal"
    }

    /// Bytes of its file: as much as the database's file may have to grow by.
    var bytes: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Copies all that stands in it into the database's file, and cuts it to nothing. With readers that look at what
    /// stands in it, it does as much as it can, and throws nothing.
    ///
    /// - Throws: what the engine says when the database's file cannot grow by what is to be copied.
    static func giveBack(in database: GRDB.Database, busyTimeout: TimeInterval) throws {
        let brief: SQLText = "PRAGMA busy_timeout = \(patience)"
        let usual: SQLText = "PRAGMA busy_timeout = \(Int(busyTimeout * 1_000))"
        try database.execute(sql: brief.statement)
        defer { try? database.execute(sql: usual.statement) }
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
