/// What was begun and has not ended, and what is set aside because it never does (SEC-8).
enum Version12WorkAttempts {
    static let migration = Migration(version: 12) { dialect in
        [
            // One row for each subject that is worked on alone, waits to be, or is in quarantine. The part is a batch's
            // number in its campaign; everything else has one part, 0. Up to the number that was reached, a
            // walk of the upkeep has its table behind it.
            """
            CREATE TABLE work_attempts (
                id \(dialect.identityColumn), kind TEXT NOT NULL, subject BIGINT NOT NULL, part BIGINT NOT NULL,
                app_id BIGINT, status TEXT NOT NULL, attempts BIGINT NOT NULL, owner TEXT, lease_until BIGINT NOT NULL,
                reason TEXT, since BIGINT NOT NULL, reached BIGINT NOT NULL DEFAULT 0,
                UNIQUE (kind, subject, part))
            """,
            "CREATE INDEX work_attempts_open ON work_attempts (kind) WHERE status = 'open'",
            // The registrations that each processor may be at, in groups: those of these numbers that wait.
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
