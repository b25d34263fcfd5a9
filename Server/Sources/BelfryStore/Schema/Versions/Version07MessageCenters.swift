/// Message centers and their messages (MC-2, MC-5), badges (BADGE-5), and engagement with messages (ENG-4).
enum Version07MessageCenters {
    static let migration = Migration(version: 7) { dialect in
        centers(dialect) + messages(dialect) + badges(dialect)
    }

    private static func centers(_ dialect: any Dialect) -> [SQLText] {
        [
            // The primary center exists without a row.
            """
            CREATE TABLE message_centers (
                app_id BIGINT NOT NULL, name TEXT NOT NULL, label TEXT, enabled BIGINT NOT NULL,
                created_at BIGINT NOT NULL, PRIMARY KEY (app_id, name)) \(dialect.clustered)
            """,
            // A campaign's content, stored once for all who get the same text.
            """
            CREATE TABLE center_contents (
                campaign_id BIGINT NOT NULL, variant TEXT NOT NULL, body TEXT NOT NULL, rich_html TEXT,
                PRIMARY KEY (campaign_id, variant)) \(dialect.clustered)
            """,
        ]
    }

    private static func messages(_ dialect: any Dialect) -> [SQLText] {
        [
            // The newest messages of a contact in one center are adjacent: a fetch reads only these (PERF-7). Body and
            // HTML are null if they are the campaign's own.
            """
            CREATE TABLE center_messages (
                contact_id BIGINT NOT NULL, center TEXT NOT NULL, sent_at BIGINT NOT NULL, campaign_id BIGINT NOT NULL,
                app_id BIGINT NOT NULL, variant TEXT NOT NULL, expires_at BIGINT, state TEXT NOT NULL, state_at BIGINT,
                body TEXT, rich_html TEXT,
                PRIMARY KEY (contact_id, center, sent_at, campaign_id)) \(dialect.clustered)
            """,
            // A contact has one message of a campaign, however many devices it has.
            "CREATE UNIQUE INDEX center_messages_once ON center_messages (contact_id, campaign_id)",
            """
            CREATE TABLE rich_servings (
                contact_id BIGINT NOT NULL, campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL,
                request_key TEXT NOT NULL, served_at BIGINT NOT NULL,
                PRIMARY KEY (contact_id, campaign_id, device_id)) \(dialect.clustered)
            """,
        ]
    }

    private static func badges(_ dialect: any Dialect) -> [SQLText] {
        [
            // The last two columns are the device's last report, so that its repetition changes nothing.
            """
            CREATE TABLE badges (
                device_id BIGINT NOT NULL PRIMARY KEY, count BIGINT NOT NULL, revision BIGINT NOT NULL,
                set_count BIGINT, set_revision BIGINT)
            """,
            // Whether the campaign has changed the device's badge; null until then.
            "ALTER TABLE deliveries ADD COLUMN badged BIGINT",
            """
            CREATE TABLE center_engagement (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, displays BIGINT NOT NULL, opens BIGINT NOT NULL,
                displayed_at BIGINT, opened_at BIGINT, PRIMARY KEY (campaign_id, device_id)) \(dialect.clustered)
            """,
        ]
    }
}
