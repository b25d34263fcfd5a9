import BelfryRules
import Foundation
import GRDB

/// The device's one SQLite file: the queue of events, the stored values, the pushes seen, the events set aside, the
/// messages of the centres and the in-app messages.
///
/// In WAL mode with `synchronous=NORMAL` a committed row survives the death of the process at any instant; a power cut
/// corrupts nothing and may lose the last moments (EVT-3).
final class DeviceStore: Sendable {
    /// A file of a later schema is refused rather than misread.
    static let schemaVersion = 3
    /// The newest that are remembered, of pushes seen and of events set aside.
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

    /// Runs statements one after the other with nobody between them; each commits by itself.
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

    /// Runs what commits one write, inside an access; a probe hears of it before and after.
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
        // What is removed or replaced is overwritten and not only released (ID-4, REG-36).
        try db.execute(sql: "PRAGMA secure_delete = ON")
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.schemaVersion else {
            throw BelfryError(
                .storageUnavailable,
                "The storage has schema \(version), this version knows \(Self.schemaVersion): a newer one wrote it.",
                field: "directory"
            )
        }
        guard version < Self.schemaVersion else { return }
        try writing(.schema) {
            try db.inTransaction {
                if version == 0 { try db.execute(sql: Self.schema) }
                if version < 2 { try db.execute(sql: Self.centerSchema) }
                try db.execute(sql: Self.inAppSchema)
                return .commit
            }
        }
    }

    /// The first version; what came later is added to it.
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
