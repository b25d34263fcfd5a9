/// The audience tables: for each app one table whose plain columns have the values that predicates use (PERF-6).
enum Version05AudienceTables {
    static let migration = Migration(version: 5, fill: fillAudiences) { _ in
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
