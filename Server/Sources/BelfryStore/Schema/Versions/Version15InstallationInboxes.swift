/// Installations have inboxes of their own (MC-15), devices confirm rich content (MC-9), and messages are placed
/// independently of the pushes about them (MC-16).
enum Version15InstallationInboxes {
    static let migration = Migration(version: 15) { dialect in
        holders + confirmations(dialect) + placing
    }

    private static let holders: [SQLText] = [
        // The contact whose values are in the text of a message in an installation's inbox.
        "ALTER TABLE center_messages ADD COLUMN made_from BIGINT",
        "ALTER TABLE center_messages ADD COLUMN recalled_at BIGINT",
        // An installation is a holder with the negated number of its device. Messages of anonymous contacts become
        // those of their devices.
        """
        INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, expires_at, state,
            state_at, body, rich_html, made_from)
        SELECT -d.id, m.center, m.sent_at, m.campaign_id, m.app_id, m.variant, m.expires_at, m.state, m.state_at,
            m.body, m.rich_html, CASE WHEN m.body IS NOT NULL THEN m.contact_id END
        FROM center_messages m JOIN contacts c ON c.id = m.contact_id JOIN devices d ON d.contact_id = c.id
        WHERE c.known = 0
        """,
        "DELETE FROM center_messages WHERE contact_id IN (SELECT id FROM contacts WHERE known = 0)",
        // The same index with its columns reversed can also list what a campaign has placed.
        "DROP INDEX center_messages_once",
        "CREATE UNIQUE INDEX center_messages_once ON center_messages (campaign_id, contact_id)",
    ]

    private static func confirmations(_ dialect: any Dialect) -> [SQLText] {
        [
            // Deliveries of rich content no longer count, only the devices' confirmations that they have stored it.
            "DROP TABLE rich_servings",
            """
            CREATE TABLE rich_confirmations (
                contact_id BIGINT NOT NULL, campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL,
                confirmed_at BIGINT NOT NULL, PRIMARY KEY (contact_id, campaign_id, device_id)) \(dialect.clustered)
            """,
        ]
    }

    private static let placing: [SQLText] = [
        // In whose inbox the message was placed; 0 if none was, null until this is known.
        "ALTER TABLE deliveries ADD COLUMN placed BIGINT",
        """
        UPDATE deliveries SET placed = coalesce(contact_id, 0)
        WHERE state = 'pending' AND badged IS NOT NULL AND campaign_id IN (
            SELECT id FROM campaigns WHERE kind = 'messageCenter' AND launched_at IS NOT NULL AND ended_at IS NULL)
        """,
        // Whether messages are placed while the campaign is paused, because the server has paused only its pushes.
        "ALTER TABLE campaigns ADD COLUMN places BIGINT NOT NULL DEFAULT 0",
        // When the first message of a batch must be placed; null if none is left.
        "ALTER TABLE batches ADD COLUMN place_at BIGINT",
        """
        UPDATE batches SET place_at = available_at WHERE campaign_id IN (
            SELECT id FROM campaigns WHERE kind IN ('messageCenter', 'pushAndMessageCenter'))
        """,
        "CREATE INDEX batches_to_place ON batches (campaign_id, place_at, number) WHERE place_at IS NOT NULL",
    ]
}
