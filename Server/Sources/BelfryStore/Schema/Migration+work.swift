extension Migration {
    /// Remembers over pauses since when a campaign has opted devices out for a wrong topic or environment (REG-35).
    static let topicTrouble = Migration(version: 2) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN trouble_since BIGINT",
            "CREATE INDEX campaigns_by_trouble ON campaigns (app_id) WHERE trouble_since IS NOT NULL",
        ]
    }

    /// Campaigns that begin later and pace themselves, and what a recipient's row says of its own time (CAMP-5).
    static let schedules = Migration(version: 6) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN scheduled_at BIGINT",
            // How far the rate limit has come, and before when nothing may leave.
            "ALTER TABLE campaigns ADD COLUMN rate_unit BIGINT",
            "ALTER TABLE campaigns ADD COLUMN next_send_at BIGINT",
            "CREATE INDEX campaigns_scheduled ON campaigns (scheduled_at) WHERE status = 'scheduled'",
            // When the message may leave where the recipient is, and by which clock.
            "ALTER TABLE deliveries ADD COLUMN due_at BIGINT",
            "ALTER TABLE deliveries ADD COLUMN due_note TEXT",
            // Counts against a frequency cap while the message is under way.
            "ALTER TABLE deliveries ADD COLUMN reserved_at BIGINT",
            // The first attempt: what the limit on retries counts from.
            "ALTER TABLE deliveries ADD COLUMN tried_at BIGINT",
            "CREATE INDEX batches_due ON batches (campaign_id, available_at, number)",
        ]
    }

    /// What was begun and has not ended, and what is set aside because it never does (SEC-8).
    static let workAttempts = Migration(version: 12) { dialect in
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
