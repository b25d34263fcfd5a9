extension Migration {
    /// Events lie in the order of their key, device by device: one tree to write instead of two (PERF-4). The device's
    /// own time stands beside the corrected one (EVT-9).
    static let eventClusters = Migration(version: 4) { dialect in
        [
            """
            CREATE TABLE event_clusters (
                device_id BIGINT NOT NULL, event_id TEXT NOT NULL, app_id BIGINT NOT NULL, contact_id BIGINT,
                kind TEXT NOT NULL, name TEXT NOT NULL, at BIGINT NOT NULL, device_at BIGINT,
                received_at BIGINT NOT NULL, session_id TEXT, attributes TEXT NOT NULL,
                PRIMARY KEY (device_id, event_id)) \(dialect.clustered)
            """,
            """
            INSERT INTO event_clusters (device_id, event_id, app_id, contact_id, kind, name, at, received_at,
                session_id, attributes)
            SELECT device_id, event_id, app_id, contact_id, kind, name, at, received_at, session_id, attributes
            FROM events
            """,
            "DROP TABLE events",
            "ALTER TABLE event_clusters RENAME TO events",
        ]
    }

    /// The audience tables: what predicates ask for as plain columns, one table for each app (PERF-6).
    static let audiences = Migration(version: 5, fill: fillAudiences) { _ in
        [
            "ALTER TABLE attributes ADD COLUMN number BIGINT",
            """
            UPDATE attributes SET number = (SELECT count(*) FROM attributes o
                WHERE o.app_id = attributes.app_id AND o.name <= attributes.name)
            """,
            "CREATE INDEX contact_tags_by_tag ON contact_tags (tag, contact_id)",
        ]
    }

    @Sendable private static func fillAudiences(_ connection: any SQLConnection) throws {
        let apps = try connection.query("SELECT id FROM apps ORDER BY id", []) { $0.integer(0) }
        for app in apps {
            try connection.audiences.create(app: app)
            for attribute in try connection.attributes.columns(app: app).attributes.values {
                try connection.audiences.add(attribute, app: app)
            }
            try connection.audiences.rebuild(app: app)
        }
    }
}
