/// Campaigns that begin later and pace themselves, and what a recipient's row says of its own time (CAMP-5).
enum Version06Schedules {
    static let migration = Migration(version: 6) { _ in
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
}
