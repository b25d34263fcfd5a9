import BelfryRules
import Foundation
import GRDB

/// The device's one SQLite file: the queue of events, the stored values, the pushes seen, the dead letters, the message
/// center messages and the in-app messages.
///
/// In WAL mode with `synchronous=NORMAL` a committed row survives the death of the process at any instant; a power cut
/// corrupts nothing and may lose the last moments (EVT-3).
final class DeviceStore: Sendable {
    /// A file of a later schema is refused rather than misread.
    static let schemaVersion = 4
    /// The number of pushes seen and of dead letters that are remembered; the newest stay.
    static let maximumRemembered = 2_000

    private let queue: DatabaseQueue
    private let probe: StoreProbe?
    let limits: QueueLimits
    let tally = Locked(QueueTally())
    /// Whether events that are tracked go into the queue. It changes between two accesses and never during one, so that
    /// nothing is recorded after a purge has returned (REG-36).
    let takesEvents = Locked(true)

    init(directory: URL, limits: QueueLimits, probe: StoreProbe?) throws(BelfryError) {
        self.limits = limits
        self.probe = probe
        var configuration = Configuration()
        configuration.label = "belfry.store"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        do {
            queue = try DatabaseQueue(
                path: directory.appendingPathComponent("belfry.sqlite").path,
                configuration: configuration
            )
        } catch {
            throw BelfryError.storage(error)
        }
        try access { try prepare($0) }
    }

    /// Runs statements one after the other, without other accesses in between; each commits by itself.
    func access<Output>(_ body: (Database) throws -> Output) throws(BelfryError) -> Output {
        do {
            guard let probe else { return try queue.inDatabase(body) }
            return try queue.inDatabase { (db: Database) throws -> Output in
                try probe.access()
                return try body(db)
            }
        } catch {
            throw BelfryError.storage(error)
        }
    }

    /// Runs a body that commits one write, inside an access; a probe is called before and after.
    func writing<Output>(_ write: StoreWrite, _ body: () throws -> Output) throws -> Output {
        guard let probe else { return try body() }
        try probe.before(write)
        let output = try body()
        try probe.after(write)
        return output
    }

    func close() {
        // Nothing is lost when closing fails: every write was committed by itself.
        try? queue.close()
    }

    private func prepare(_ db: Database) throws {
        // Rarer checkpoints: each one syncs, and an event should not wait for it often.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
        // Removed or replaced data is overwritten and not only released (ID-4, REG-36).
        try db.execute(sql: "PRAGMA secure_delete = ON")
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.schemaVersion else {
            throw BelfryError(
                .storageUnavailable,
                "A newer version wrote the storage (schema \(version)). This version knows \(Self.schemaVersion).",
                field: "directory"
            )
        }
        guard version < Self.schemaVersion else { return }
        try writing(.schema) {
            try db.inTransaction {
                if version == 0 { try db.execute(sql: Self.schema) }
                if version < 2 { try db.execute(sql: Self.centerSchema) }
                if version < 3 { try db.execute(sql: Self.inAppSchema) }
                try db.execute(sql: Self.richReportSchema)
                return .commit
            }
        }
    }

    /// The schema of the first version; later versions add to it.
    private static let schema = """
        CREATE TABLE value (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE event (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner INTEGER NOT NULL,
            tracked_at INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            body BLOB NOT NULL
        );
        CREATE TABLE set_aside (id INTEGER PRIMARY KEY AUTOINCREMENT, reason TEXT NOT NULL, body BLOB NOT NULL);
        CREATE TABLE push_seen (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            sid TEXT NOT NULL,
            kind TEXT NOT NULL,
            UNIQUE (sid, kind)
        );
        CREATE TABLE counter (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 1;
        """
}

extension DeviceStore {
    func value(_ key: StoredKey) throws(BelfryError) -> Data? {
        try access { db in
            try Data.fetchOne(db, sql: "SELECT data FROM value WHERE key = ?", arguments: [key.rawValue])
        }
    }

    /// Makes one step durable. Its events make room for themselves, as tracked ones do (EVT-5).
    ///
    /// - Returns: how many of the oldest events were dropped because the queue was full.
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
            // The step is durable: a later failure must not make it look failed.
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
        for centers in change.centers {
            try centers.apply(to: db)
        }
        for inApp in change.inApp {
            try inApp.apply(to: db)
        }
        try addDeadLetters(change.deadLetters, in: db)
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
                DELETE FROM rich_report; DELETE FROM in_app_message
                """
        )
    }

    /// Overwrites the data that a wipe has released, for a process that died before that.
    func shred() {
        try? access { Self.shred($0) }
    }

    /// Pages that an earlier version released, and the log, still contain deleted data. Best effort: without room for a
    /// copy of the file they stay until SQLite reuses them; no code reads them.
    private static func shred(_ db: Database) {
        try? db.execute(sql: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The log contains recent writes, including data that was replaced since. Best effort, too.
    private static func truncateLog(_ db: Database) {
        try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// The counters that the store keeps for support.
enum CounterName {
    static let deadLetters = "setAside"
    static let queueFull = DropReason.queueFull.rawValue
    static let tooOld = DropReason.tooOld.rawValue
}
