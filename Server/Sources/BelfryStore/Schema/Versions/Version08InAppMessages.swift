/// In-app campaigns, what devices have downloaded of them, and the silent pushes that tell of them (IAM-1, PUSH-7).
enum Version08InAppMessages {
    static let migration = Migration(version: 8) { dialect in
        campaigns + [clocks(dialect)] + copies(dialect) + silentPushes
    }

    private static let campaigns: [SQLText] = [
        "ALTER TABLE campaigns ADD COLUMN in_app_version BIGINT NOT NULL DEFAULT 1",
        "ALTER TABLE campaigns ADD COLUMN display_epoch BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE campaigns ADD COLUMN deleted_at BIGINT",
        "ALTER TABLE campaigns ADD COLUMN recalled_at BIGINT",
        // When an in-app message's time is over, so that its campaign ends by itself.
        "ALTER TABLE campaigns ADD COLUMN ends_at BIGINT",
        // How far a campaign that is over has ended what its ledger has pending; null: it has, or is not over.
        "ALTER TABLE campaigns ADD COLUMN closed_to BIGINT",
        "CREATE INDEX campaigns_closing ON campaigns (id) WHERE closed_to IS NOT NULL",
        "CREATE INDEX campaigns_in_app ON campaigns (app_id, id) WHERE kind = 'inApp' AND status = 'active'",
        """
        CREATE INDEX campaigns_ending ON campaigns (ends_at)
        WHERE ends_at IS NOT NULL AND status IN ('active', 'paused')
        """,
    ]

    /// What every sync looks at first: an app without a row has never had an in-app message.
    private static func clocks(_ dialect: any Dialect) -> SQLText {
        """
        CREATE TABLE in_app_clocks (
            app_id BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, volatile BIGINT NOT NULL) \(dialect.clustered)
        """
    }

    private static func copies(_ dialect: any Dialect) -> [SQLText] {
        [
            // One row for each campaign, device and person: what was downloaded, and what became of it. They lie
            // campaign by campaign, as the ledger does, so that a campaign's figures are read at one go.
            """
            CREATE TABLE in_app_copies (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
                version BIGINT NOT NULL, downloaded_at BIGINT, epoch BIGINT NOT NULL, shown BIGINT NOT NULL,
                displays BIGINT NOT NULL, displayed_at BIGINT, clicks BIGINT NOT NULL, clicked_at BIGINT,
                dismissals BIGINT NOT NULL, dismissed_at BIGINT, screen_time BIGINT NOT NULL,
                not_shown_reason TEXT, not_shown_sentence TEXT, not_shown_at BIGINT, recalled_at BIGINT,
                PRIMARY KEY (campaign_id, device_id, contact_id)) \(dialect.clustered)
            """,
            // What a device has, for whoever asks, becomes known or is erased.
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
        // Reasons are bits of a sum: 1 in-app messages, 2 message centers. Those that wait, and those of the push that is
        // under way. The number names that push, so that a repeated one is told from the next. Nothing is due: nothing
        // is to be sent; while a worker is at it, due is when its lease ends.
        """
        CREATE TABLE silent_pushes (
            device_id BIGINT NOT NULL PRIMARY KEY, app_id BIGINT NOT NULL, reasons BIGINT NOT NULL,
            carried BIGINT NOT NULL, due_at BIGINT, tried_at BIGINT, sent_at BIGINT, number BIGINT NOT NULL,
            attempts BIGINT NOT NULL, lease_owner TEXT)
        """,
        "CREATE INDEX silent_pushes_due ON silent_pushes (app_id, due_at) WHERE due_at IS NOT NULL",
    ]
}
