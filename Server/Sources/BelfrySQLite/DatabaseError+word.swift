import GRDB

/// SQLite's error as a word: SQLite's own name of the result code, in lower case (FLEET-11).
extension DatabaseError {
    /// One of some forty words: `busy`, `full`, `ioerr_fsync`, `constraint_unique`. A code without a name here is
    /// `other`.
    var word: String {
        let primary = Int(resultCode.rawValue)
        return Self.extended[extendedResultCode.rawValue]
            ?? (Self.primary.indices.contains(primary) ? Self.primary[primary] : "other")
    }

    /// Names of the primary codes; the index is the code, from 0.
    private static let primary = [
        "ok", "error", "internal", "perm", "abort", "busy", "locked", "nomem", "readonly", "interrupt", "ioerr",
        "corrupt", "notfound", "full", "cantopen", "protocol", "empty", "schema", "toobig", "constraint", "mismatch",
        "misuse", "nolfs", "auth", "format", "range", "notadb",
    ]

    /// Extended codes that tell an operator more than their primary code does.
    private static let extended: [CInt: String] = [
        ResultCode.SQLITE_BUSY_RECOVERY.rawValue: "busy_recovery",
        ResultCode.SQLITE_BUSY_SNAPSHOT.rawValue: "busy_snapshot",
        ResultCode.SQLITE_READONLY_DBMOVED.rawValue: "readonly_dbmoved",
        ResultCode.SQLITE_READONLY_DIRECTORY.rawValue: "readonly_directory",
        ResultCode.SQLITE_IOERR_READ.rawValue: "ioerr_read",
        ResultCode.SQLITE_IOERR_SHORT_READ.rawValue: "ioerr_short_read",
        ResultCode.SQLITE_IOERR_WRITE.rawValue: "ioerr_write",
        ResultCode.SQLITE_IOERR_FSYNC.rawValue: "ioerr_fsync",
        ResultCode.SQLITE_IOERR_NOMEM.rawValue: "ioerr_nomem",
        ResultCode.SQLITE_IOERR_SHMMAP.rawValue: "ioerr_shmmap",
        ResultCode.SQLITE_IOERR_CORRUPTFS.rawValue: "ioerr_corruptfs",
        ResultCode.SQLITE_CORRUPT_INDEX.rawValue: "corrupt_index",
        ResultCode.SQLITE_CONSTRAINT_CHECK.rawValue: "constraint_check",
        ResultCode.SQLITE_CONSTRAINT_NOTNULL.rawValue: "constraint_notnull",
        ResultCode.SQLITE_CONSTRAINT_PRIMARYKEY.rawValue: "constraint_primarykey",
        ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue: "constraint_unique",
    ]
}
