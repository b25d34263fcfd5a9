/// When devices came to contacts and left them (CON-9), and an index of installations without a contact by id: there
/// may be any number with the same id (WIRE-20).
enum Version22ContactTimeline {
    static let migration = Migration(version: 22) { dialect in
        [
            """
            CREATE TABLE contact_links (
                device_id BIGINT NOT NULL, at BIGINT NOT NULL, contact_id BIGINT NOT NULL, began BIGINT NOT NULL,
                cause TEXT NOT NULL, PRIMARY KEY (device_id, at, contact_id, began)) \(dialect.clustered)
            """,
            "CREATE INDEX contact_links_by_contact ON contact_links (contact_id, at)",
            """
            CREATE INDEX devices_unlinked ON devices (app_id, lower(client_id), client_id) WHERE contact_id IS NULL
            """,
        ]
    }
}
