/// The last opening of the app is stored in narrow tables, so that an opening does not rewrite the wide rows of its
/// device and contact. Pages keep space for updated rows (FLEET-2).
enum Version26HotRows {
    static let migration = Migration(version: 26, fill: fillOpenings) { dialect in
        openings(dialect) + room(dialect) + Version26DormantDevices.tables(dialect)
            + Version26Followings.tables(dialect)
    }

    private static func openings(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE device_openings (
                device_id \(dialect.numberColumn), at BIGINT NOT NULL) \(dialect.room(fill: 80))
            """,
            """
            CREATE TABLE contact_openings (
                contact_id \(dialect.numberColumn), at BIGINT NOT NULL) \(dialect.room(fill: 80))
            """,
        ]
    }

    /// A ledger row is planned and then updated once, so half of each page stays free for that.
    private static func room(_ dialect: any Dialect) -> [SQLText] {
        dialect.setRoom(of: "deliveries", fill: 45) + dialect.setRoom(of: "devices", fill: 90)
            + dialect.setRoom(of: "contacts", fill: 90) + dialect.setRoom(of: "registrations", fill: 85)
            + dialect.setRoom(of: "badges", fill: 80) + dialect.setRoom(of: "in_app_copies", fill: 80)
    }

    /// Openings that the program of the version before records later are only in the wide rows, and count as well.
    @Sendable private static func fillOpenings(_ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO device_openings (device_id, at)
            SELECT id, last_opened_at FROM devices WHERE last_opened_at IS NOT NULL
            """
        )
        try connection.execute(
            """
            INSERT INTO contact_openings (contact_id, at)
            SELECT id, last_opened_at FROM contacts WHERE last_opened_at IS NOT NULL
            """
        )
        for app in try connection.query("SELECT id FROM apps ORDER BY id", [], { $0.integer(0) }) {
            let table = AudienceColumns.table(of: app)
            for statement in connection.dialect.setRoom(of: table, fill: AudienceTable.fill) {
                try connection.execute(statement)
            }
        }
    }
}
