/// Sums of deliveries, by campaign and quarter of an hour and by app and day, and how many devices may get pushes on
/// each day (CON-4). Pages read these instead of the ledger.
enum Version23DaySums {
    static let migration = Migration(version: 23) { dialect in
        [
            // A quarter of an hour is the largest unit of which the days of all time zones consist; it is counted from
            // 1970, like days. The day is in the app's time zone.
            """
            CREATE TABLE campaign_sums (
                campaign_id BIGINT NOT NULL, quarter BIGINT NOT NULL, app_id BIGINT NOT NULL, day BIGINT NOT NULL,
                accepted BIGINT NOT NULL, suppressed BIGINT NOT NULL, rejected BIGINT NOT NULL,
                displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
                PRIMARY KEY (campaign_id, quarter)) \(dialect.clustered)
            """,
            """
            CREATE TABLE day_sums (
                app_id BIGINT NOT NULL, day BIGINT NOT NULL, accepted BIGINT NOT NULL, suppressed BIGINT NOT NULL,
                rejected BIGINT NOT NULL, displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
                PRIMARY KEY (app_id, day)) \(dialect.clustered)
            """,
            """
            CREATE TABLE consent_days (
                app_id BIGINT NOT NULL, day BIGINT NOT NULL, devices BIGINT NOT NULL, opted_in BIGINT NOT NULL,
                counted_at BIGINT NOT NULL, PRIMARY KEY (app_id, day)) \(dialect.clustered)
            """,
            // How many devices have each state and reason; the reason is empty if there is none.
            """
            CREATE TABLE campaign_outcomes (
                campaign_id BIGINT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, devices BIGINT NOT NULL,
                displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
                PRIMARY KEY (campaign_id, state, reason)) \(dialect.clustered)
            """,
            // When a campaign's ledger was last summed, and when it must be summed again.
            "ALTER TABLE campaigns ADD COLUMN summed_at BIGINT",
            "ALTER TABLE campaigns ADD COLUMN sum_due_at BIGINT NOT NULL DEFAULT 0",
            "CREATE INDEX campaigns_to_sum ON campaigns (sum_due_at) WHERE launched_at IS NOT NULL",
            // For the calendar, and for campaigns that run or wait.
            "CREATE INDEX campaigns_by_launch ON campaigns (app_id, launched_at) WHERE launched_at IS NOT NULL",
            """
            CREATE INDEX campaigns_unfinished ON campaigns (app_id, id)
            WHERE status IN ('scheduled', 'sending', 'paused', 'active')
            """,
            "CREATE INDEX campaigns_drafts ON campaigns (app_id, id) WHERE status = 'draft'",
        ]
    }
}
