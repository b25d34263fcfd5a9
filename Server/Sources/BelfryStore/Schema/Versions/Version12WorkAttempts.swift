/// Work that was begun and has not ended, and work in quarantine because it never ends (SEC-8).
enum Version12WorkAttempts {
    static let migration = Migration(version: 12) { dialect in
        [
            // One row for each subject that runs alone, waits to, or is in quarantine. The part is a batch's number in
            // its campaign; all other work has the part 0. For a walk of the upkeep, `reached` is the last row that it
            // has checked.
            """
            CREATE TABLE work_attempts (
                id \(dialect.identityColumn), kind TEXT NOT NULL, subject BIGINT NOT NULL, part BIGINT NOT NULL,
                app_id BIGINT, status TEXT NOT NULL, attempts BIGINT NOT NULL, owner TEXT, lease_until BIGINT NOT NULL,
                reason TEXT, since BIGINT NOT NULL, reached BIGINT NOT NULL DEFAULT 0,
                UNIQUE (kind, subject, part))
            """,
            "CREATE INDEX work_attempts_open ON work_attempts (kind) WHERE status = 'open'",
            // The registrations on which each process may be working in groups: those in this range that wait.
            """
            CREATE TABLE registration_groups (
                owner TEXT NOT NULL PRIMARY KEY, first_id BIGINT NOT NULL, last_id BIGINT NOT NULL,
                lease_until BIGINT NOT NULL)
            """,
            "ALTER TABLE batches ADD COLUMN quarantined BIGINT NOT NULL DEFAULT 0",
            "CREATE INDEX batches_lent ON batches (lease_until) WHERE lease_owner IS NOT NULL",
            "CREATE INDEX silent_pushes_lent ON silent_pushes (due_at) WHERE lease_owner IS NOT NULL",
        ]
    }
}
