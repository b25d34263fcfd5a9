/// In-app campaigns, the devices' downloads of them, and the silent pushes that announce them (IAM-1, PUSH-7).
enum Version08InAppMessages {
    static let migration = Migration(version: 8) { dialect in
        campaigns + [clocks(dialect)] + copies(dialect) + silentPushes
    }

    private static let campaigns: [SQLText] = [
        "ALTER TABLE campaigns ADD COLUMN in_app_version BIGINT NOT NULL DEFAULT 1",
        "ALTER TABLE campaigns ADD COLUMN display_epoch BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE campaigns ADD COLUMN deleted_at BIGINT",
        "ALTER TABLE campaigns ADD COLUMN recalled_at BIGINT",
        // The end of an in-app message's display time, at which its campaign ends.
        "ALTER TABLE campaigns ADD COLUMN ends_at BIGINT",
        // How far the pending ledger rows of an ended campaign are closed; null if all are, or if the campaign has not
        // ended.
        "ALTER TABLE campaigns ADD COLUMN closed_to BIGINT",
        "CREATE INDEX campaigns_closing ON campaigns (id) WHERE closed_to IS NOT NULL",
        "CREATE INDEX campaigns_in_app ON campaigns (app_id, id) WHERE kind = 'inApp' AND status = 'active'",
        """
        CREATE INDEX campaigns_ending ON campaigns (ends_at)
        WHERE ends_at IS NOT NULL AND status IN ('active', 'paused')
        """,
    ]

    /// The row that every sync reads first: an app without a row has never had an in-app message.
    private static func clocks(_ dialect: any Dialect) -> SQLText {
        """
        CREATE TABLE in_app_clocks (
            app_id BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, volatile BIGINT NOT NULL) \(dialect.clustered)
        """
    }

    private static func copies(_ dialect: any Dialect) -> [SQLText] {
        [
            // One row for each campaign, device and person: the download, and its engagement. Rows are ordered by
            // campaign, like the ledger's, so that a campaign's figures are read in one range.
            """
            CREATE TABLE in_app_copies (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
                version BIGINT NOT NULL, downloaded_at BIGINT, epoch BIGINT NOT NULL, shown BIGINT NOT NULL,
                displays BIGINT NOT NULL, displayed_at BIGINT, clicks BIGINT NOT NULL, clicked_at BIGINT,
                dismissals BIGINT NOT NULL, dismissed_at BIGINT, screen_time BIGINT NOT NULL,
                not_shown_reason TEXT, not_shown_sentence TEXT, not_shown_at BIGINT, recalled_at BIGINT,
                PRIMARY KEY (campaign_id, device_id, contact_id)) \(dialect.clustered)
            """,
            // For reading, moving and erasing the rows of a device.
            "CREATE INDEX in_app_copies_by_device ON in_app_copies (device_id, contact_id)",
            """
            CREATE TABLE in_app_clicks (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
                button_id TEXT NOT NULL, clicks BIGINT NOT NULL,
                PRIMARY KEY (campaign_id, device_id, contact_id, button_id)) \(dialect.clustered)
            """,
            """
            CREATE TABLE in_app_not_shown (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
                reason TEXT NOT NULL, times BIGINT NOT NULL,
                PRIMARY KEY (campaign_id, device_id, contact_id, reason)) \(dialect.clustered)
            """,
        ]
    }

    private static let silentPushes: [SQLText] = [
        // Reasons are a sum of bits: 1 in-app messages, 2 message centers. There are those that wait, and those of the
        // push under way. The number identifies that push, to tell a repeated one from the next. If `due_at` is null,
        // nothing must be sent; while a worker has the push, it is the end of the lease.
        """
        CREATE TABLE silent_pushes (
            device_id BIGINT NOT NULL PRIMARY KEY, app_id BIGINT NOT NULL, reasons BIGINT NOT NULL,
            carried BIGINT NOT NULL, due_at BIGINT, tried_at BIGINT, sent_at BIGINT, number BIGINT NOT NULL,
            attempts BIGINT NOT NULL, lease_owner TEXT)
        """,
        "CREATE INDEX silent_pushes_due ON silent_pushes (app_id, due_at) WHERE due_at IS NOT NULL",
    ]
}
