/// When a campaign's ledger was removed after its app's term (LED-3), and whether all of it is gone.
///
/// The number says something as well: a program of version 27 names the key of `events` in `ON CONFLICT`, and none starts on
/// version 29. So the program of that one may divide the table by time, which has no key of its own then (FLEET-3).
enum Version28LedgerRetention {
    static let migration = Migration(version: 28) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN ledger_removed_at BIGINT",
            "ALTER TABLE campaigns ADD COLUMN ledger_gone BIGINT NOT NULL DEFAULT 0",
            // Those that have ended, by app and time; those of which rows are left.
            """
            CREATE INDEX campaigns_with_ledger ON campaigns (app_id, ended_at, id)
            WHERE launched_at IS NOT NULL AND ended_at IS NOT NULL AND ledger_removed_at IS NULL
            """,
            """
            CREATE INDEX campaigns_losing_ledger ON campaigns (id)
            WHERE ledger_removed_at IS NOT NULL AND ledger_gone = 0
            """,
        ]
    }
}
