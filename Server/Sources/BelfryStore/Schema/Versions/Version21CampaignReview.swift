/// Versions of campaigns, comments on them, and approvals by a second person (CON-5); columns for search and filters in
/// lists of campaigns (ADM-7).
enum Version21CampaignReview {
    static let migration = Migration(version: 21) { dialect in
        versions + approvals(dialect) + comments(dialect) + lists
    }

    private static let versions: [SQLText] = [
        // The content of a campaign after each edit. Versions of a launched in-app message may wait to be published.
        """
        CREATE TABLE campaign_versions (
            campaign_id BIGINT NOT NULL, number BIGINT NOT NULL, app_id BIGINT NOT NULL, saved_at BIGINT NOT NULL,
            author_user BIGINT, author_key TEXT, published BIGINT NOT NULL, resets_displays BIGINT NOT NULL,
            names_people BIGINT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (campaign_id, number))
        """,
        // For the erasure of a person whom an audience names (ADM-4).
        "CREATE INDEX campaign_versions_naming ON campaign_versions (app_id, campaign_id) WHERE names_people = 1",
        // The authors of existing contents are unknown.
        """
        INSERT INTO campaign_versions (campaign_id, number, app_id, saved_at, published, resets_displays, names_people,
            content)
        SELECT id, 1, app_id, created_at, 1, 0,
            CASE WHEN content LIKE '%"contactKeys"%' OR content LIKE '%"deviceIds"%' OR content LIKE '%"party"%'
                THEN 1 ELSE 0 END,
            content
        FROM campaigns
        """,
    ]

    private static func approvals(_ dialect: any Dialect) -> [SQLText] {
        [
            // One row for each decision; the newest decision about the newest version counts.
            """
            CREATE TABLE campaign_approvals (
                id \(dialect.identityColumn), campaign_id BIGINT NOT NULL, version BIGINT NOT NULL,
                decision TEXT NOT NULL, rehearsal_id BIGINT, decided_at BIGINT NOT NULL, author_user BIGINT,
                author_key TEXT, reason TEXT)
            """,
            "CREATE INDEX campaign_approvals_by_campaign ON campaign_approvals (campaign_id, id)",
        ]
    }

    private static func comments(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE campaign_comments (
                id \(dialect.identityColumn), campaign_id BIGINT NOT NULL, created_at BIGINT NOT NULL,
                author_user BIGINT, author_key TEXT, text TEXT NOT NULL)
            """,
            "CREATE INDEX campaign_comments_by_campaign ON campaign_comments (campaign_id, id)",
            "CREATE INDEX campaign_comments_by_user ON campaign_comments (author_user) WHERE author_user IS NOT NULL",
        ]
    }

    private static let lists: [SQLText] = [
        "CREATE INDEX campaigns_by_app_listed ON campaigns (app_id, id) WHERE deleted_at IS NULL",
        "CREATE INDEX campaigns_by_status ON campaigns (app_id, status, id) WHERE deleted_at IS NULL",
    ]
}
