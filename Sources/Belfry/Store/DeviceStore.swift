import BelfryRules
import Foundation
import GRDB

/// The device's one SQLite file: the queue of events, the stored values, the pushes seen, the dead letters, the message
/// center messages and the in-app messages.
///
/// In WAL mode with `synchronous=NORMAL` a committed row survives the death of the process at any instant; a power cut
/// corrupts nothing and may lose the last moments (EVT-3).
final class DeviceStore: Sendable {
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
        try access { db in
            try DeviceSchema.prepare(db) { migrate in try writing(.schema, migrate) }
        }
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
        // An error loses nothing: every write was committed separately.
        try? queue.close()
    }
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
            var removed = EventTable.Removal.none
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
        try access { try CounterTable($0).value(name) }
    }

    private static func apply(_ change: StoreChange, to db: Database) throws -> EventTable.Removal {
        if let purge = change.purge { try forget(purge, in: db) }
        for (key, data) in change.values {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO value (key, data) VALUES (?, ?)")
                .execute(arguments: [key.rawValue, data])
        }
        try change.clockMove?.apply(to: db)
        for event in change.events {
            try EventTable(db).insert(event)
        }
        for centers in change.centers {
            try centers.apply(to: db)
        }
        for inApp in change.inApp {
            try inApp.apply(to: db)
        }
        try DeadLetterTable(db).add(change.deadLetters)
        guard let settled = change.settled else { return .none }
        return try EventTable(db).remove(settled)
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
