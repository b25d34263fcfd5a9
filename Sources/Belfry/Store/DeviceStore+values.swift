import Foundation
import GRDB

extension DeviceStore {
    func value(_ key: StoredKey) throws(BelfryError) -> Data? {
        try access { db in
            try Data.fetchOne(db, sql: "SELECT data FROM value WHERE key = ?", arguments: [key.rawValue])
        }
    }

    /// Makes one step of the device's life durable. Its events make room for themselves as tracked ones do (EVT-5).
    ///
    /// - Returns: how many of the oldest events went because the queue was full.
    @discardableResult
    func commit(_ change: StoreChange) throws(BelfryError) -> Int {
        guard !change.isEmpty else { return 0 }
        return try access { db in
            var removed = Removal.none
            try writing(.step) {
                try db.inTransaction {
                    removed = try Self.apply(change, to: db)
                    return .commit
                }
            }
            if let isTaken = change.takesEvents { takesEvents.withLock { $0 = isTaken } }
            tally.withLock { tally in
                if change.purge != nil { tally = QueueTally(isComplete: true) }
                for event in change.events {
                    tally.add(bytes: event.body.count)
                }
                tally.remove(count: removed.count, bytes: removed.bytes)
            }
            if change.purge == .everything {
                Self.shred(db)
            } else if change.scrubs {
                Self.truncateLog(db)
            }
            // The step is durable: nothing that follows may call it failed.
            return change.events.isEmpty ? 0 : (try? makeRoom(in: db)) ?? 0
        }
    }

    /// How often something happened since the installation.
    func counter(_ name: String) throws(BelfryError) -> Int {
        try access { db in
            try Int.fetchOne(db, sql: "SELECT count FROM counter WHERE name = ?", arguments: [name]) ?? 0
        }
    }

    static func count(_ name: String, by amount: Int, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO counter (name, count) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET count = count + excluded.count
                """,
            arguments: [name, amount]
        )
    }

    private static func apply(_ change: StoreChange, to db: Database) throws -> Removal {
        if let purge = change.purge { try forget(purge, in: db) }
        for (key, data) in change.values {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO value (key, data) VALUES (?, ?)")
                .execute(arguments: [key.rawValue, data])
        }
        for event in change.events {
            try insert(event, into: db)
        }
        try apply(change.centers, to: db)
        try apply(change.inApp, to: db)
        try setAside(change.setAside, in: db)
        guard let settled = change.settled else { return Removal.none }
        return try remove(settled, from: db)
    }

    private static func forget(_ purge: StoreChange.Purge, in db: Database) throws {
        try db.execute(sql: "DELETE FROM event; DELETE FROM set_aside")
        guard purge == .everything else { return }
        try db.execute(
            sql: """
                DELETE FROM value; DELETE FROM push_seen; DELETE FROM counter;
                DELETE FROM center_message; DELETE FROM rich_content; DELETE FROM message_state;
                DELETE FROM in_app_message
                """
        )
    }

    /// Overwrites what a wipe has released, for a process that died before it came to that.
    func shred() {
        try? access { Self.shred($0) }
    }

    /// Pages that an earlier version released, and the log, still hold what they held. Best effort: without room for a
    /// copy of the file they stay until the file needs them, and nobody reads them meanwhile.
    private static func shred(_ db: Database) {
        try? db.execute(sql: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The log holds what was written lately, also what was replaced since. Best effort, too.
    private static func truncateLog(_ db: Database) {
        try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// The counters that the store keeps for support.
enum CounterName {
    static let setAside = "setAside"
    static let queueFull = DropReason.queueFull.rawValue
    static let tooOld = DropReason.tooOld.rawValue
}
