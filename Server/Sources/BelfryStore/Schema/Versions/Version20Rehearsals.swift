/// Rehearsals of campaigns, and their results for the devices of the audience (CON-12).
enum Version20Rehearsals {
    static let migration = Migration(version: 20) { dialect in
        [
            """
            CREATE TABLE rehearsals (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, campaign_id BIGINT NOT NULL,
                version TEXT NOT NULL, status TEXT NOT NULL, requested_at BIGINT NOT NULL, started_at BIGINT,
                ended_at BIGINT, launch_at BIGINT, last_device BIGINT NOT NULL DEFAULT 0,
                reached BIGINT NOT NULL DEFAULT 0, audience BIGINT NOT NULL DEFAULT 0,
                attempts BIGINT NOT NULL DEFAULT 0, lease_owner TEXT, lease_until BIGINT, problem TEXT, figures TEXT,
                comparison TEXT)
            """,
            "CREATE INDEX rehearsals_by_campaign ON rehearsals (campaign_id, id)",
            "CREATE INDEX rehearsals_by_app ON rehearsals (app_id, id)",
            "CREATE INDEX rehearsals_open ON rehearsals (id) WHERE ended_at IS NULL",
            // Some hundreds of devices each, packed: only their numbers, and no other personal data.
            """
            CREATE TABLE rehearsal_pages (
                rehearsal_id BIGINT NOT NULL, last_device BIGINT NOT NULL, first_device BIGINT NOT NULL,
                outcomes BIGINT NOT NULL, content \(dialect.blobType) NOT NULL,
                PRIMARY KEY (rehearsal_id, last_device)) \(dialect.clustered)
            """,
        ]
    }
}
