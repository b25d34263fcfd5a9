import GRDB

/// The tables of the device's file, in the schema versions that introduced them.
enum DeviceSchema {
    /// A file of a later schema is refused rather than misread.
    static let version = 5

    /// Brings a file to this version, whichever version wrote it.
    ///
    /// - Parameter write: runs the body that commits the change; it is called only when there is one.
    static func prepare(_ db: Database, _ write: (() throws -> Void) throws -> Void) throws {
        // Rarer checkpoints: each one syncs, and an event should not wait for it often.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 2000")
        // Removed or replaced data is overwritten and not only released (ID-4, REG-36).
        try db.execute(sql: "PRAGMA secure_delete = ON")
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= version else {
            throw BelfryError(
                .storageUnavailable,
                "A newer version wrote the storage (schema \(found)). This version knows \(version).",
                field: "directory"
            )
        }
        guard found < version else { return }
        try write {
            try db.inTransaction {
                if found < 1 { try db.execute(sql: Self.events) }
                if found < 2 { try db.execute(sql: Self.centers) }
                if found < 3 { try db.execute(sql: Self.inApp) }
                if found < 4 { try db.execute(sql: Self.richReports) }
                try db.execute(sql: Self.ageOfDeadLetters)
                return .commit
            }
        }
    }

    private static let events = """
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

    private static let centers = """
        CREATE TABLE center_message (
            id TEXT PRIMARY KEY,
            center TEXT NOT NULL,
            place INTEGER NOT NULL,
            expires_at INTEGER,
            fetched_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            body BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE rich_content (
            id TEXT PRIMARY KEY,
            request_key TEXT NOT NULL,
            listed_at INTEGER NOT NULL,
            expires_at INTEGER,
            html TEXT
        ) WITHOUT ROWID;
        CREATE TABLE message_state (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            owner INTEGER NOT NULL,
            state TEXT NOT NULL
        );
        PRAGMA user_version = 2;
        """

    private static let inApp = """
        CREATE TABLE in_app_message (
            id TEXT PRIMARY KEY,
            event TEXT,
            body BLOB NOT NULL
        ) WITHOUT ROWID;
        PRAGMA user_version = 3;
        """

    /// Adds pending reports about rich content, and messages that no center lists. Content that an earlier version
    /// stored is confirmed as well.
    private static let richReports = """
        CREATE TABLE rich_report (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            stored INTEGER NOT NULL
        );
        INSERT INTO rich_report (id, stored) SELECT id, 1 FROM rich_content WHERE html IS NOT NULL;
        ALTER TABLE center_message ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
        PRAGMA user_version = 4;
        """

    /// Adds the time at which dead letters were tracked, by the queue's clock. Before, only the event had a time.
    private static let ageOfDeadLetters = """
        ALTER TABLE set_aside ADD COLUMN tracked_at INTEGER;
        UPDATE set_aside SET tracked_at = CASE WHEN json_valid(CAST(body AS TEXT))
            THEN CAST(strftime('%s', json_extract(CAST(body AS TEXT), '$.timestamp')) AS INTEGER) * 1000 END;
        PRAGMA user_version = 5;
        """
}
