/// Stores events in the order of their key, by device, so that one tree is written instead of two (PERF-4). The
/// device's own time is stored beside the corrected one (EVT-9).
enum Version04EventClusters {
    static let migration = Migration(version: 4) { dialect in
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
}
