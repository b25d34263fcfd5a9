/// When a campaign's ledger was removed after the app's retention period (LED-3), and whether all of its rows are gone.
///
/// The number also matters: a program of version 27 names the key of `events` in `ON CONFLICT`, and no such program
/// starts on version 29. So the program of version 29 may partition the table by time, which then has no key of its own
/// (FLEET-3).
enum Version28LedgerRetention {
    static let migration = Migration(version: 28) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN ledger_removed_at BIGINT",
            "ALTER TABLE campaigns ADD COLUMN ledger_gone BIGINT NOT NULL DEFAULT 0",
            // Ended campaigns by app and time; and ended campaigns whose ledger still has rows.
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
