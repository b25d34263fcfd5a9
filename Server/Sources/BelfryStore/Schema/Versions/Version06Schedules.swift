/// Schedules and rate limits of campaigns, and the local sending time in a recipient's row (CAMP-5).
enum Version06Schedules {
    static let migration = Migration(version: 6) { _ in
        [
            "ALTER TABLE campaigns ADD COLUMN scheduled_at BIGINT",
            // The position of the rate limit, and the moment before which nothing may be sent.
            "ALTER TABLE campaigns ADD COLUMN rate_unit BIGINT",
            "ALTER TABLE campaigns ADD COLUMN next_send_at BIGINT",
            "CREATE INDEX campaigns_scheduled ON campaigns (scheduled_at) WHERE status = 'scheduled'",
            // When the message may be sent in the recipient's time zone, and by which clock.
            "ALTER TABLE deliveries ADD COLUMN due_at BIGINT",
            "ALTER TABLE deliveries ADD COLUMN due_note TEXT",
            // Since when the message counts toward a frequency cap while it is pending.
            "ALTER TABLE deliveries ADD COLUMN reserved_at BIGINT",
            // The first attempt, from which the time limit for retries counts.
            "ALTER TABLE deliveries ADD COLUMN tried_at BIGINT",
            "CREATE INDEX batches_due ON batches (campaign_id, available_at, number)",
        ]
    }
}
