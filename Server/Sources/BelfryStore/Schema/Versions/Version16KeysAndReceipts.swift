/// Admin keys with a label and an expiry (ADM-6), receipts of erasures (ADM-4), the time of each value of a contact
/// (ADM-5), and indexes for lists and searches (ADM-7).
enum Version16KeysAndReceipts {
    static let migration = Migration(version: 16) { dialect in
        keys + erasures(dialect) + contacts + lists
    }

    private static let keys: [SQLText] = [
        "ALTER TABLE admin_keys ADD COLUMN label TEXT",
        "ALTER TABLE admin_keys ADD COLUMN expires_at BIGINT",
        "CREATE INDEX admin_keys_by_app ON admin_keys (app_id, id)",
    ]

    private static func erasures(_ dialect: any Dialect) -> [SQLText] {
        [
            // A receipt says what was removed and when, but not of whom: the contact's number no longer refers to
            // anything.
            """
            CREATE TABLE erasures (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, receipt TEXT NOT NULL UNIQUE,
                contact_id BIGINT NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT, devices BIGINT NOT NULL,
                events BIGINT NOT NULL, messages BIGINT NOT NULL, deliveries BIGINT NOT NULL)
            """,
            "CREATE INDEX erasures_by_app ON erasures (app_id, id)",
            "CREATE INDEX erasures_open ON erasures (contact_id) WHERE ended_at IS NULL",
        ]
    }

    private static let contacts: [SQLText] = [
        // JSON: milliseconds by attribute. A value from before this column is as old as its contact's last change.
        "ALTER TABLE contacts ADD COLUMN attributes_at TEXT",
        // For searches by the beginning of a key. Merged contacts are left out, since very many of them may be
        // adjacent.
        "CREATE INDEX contacts_by_key ON contacts (app_id, contact_key) WHERE merged_into IS NULL",
    ]

    private static let lists: [SQLText] = [
        "CREATE INDEX devices_by_app ON devices (app_id, id)",
        "DROP INDEX devices_by_contact",
        "CREATE INDEX devices_by_contact ON devices (contact_id, id)",
        "CREATE INDEX audit_log_by_app ON audit_log (app, id)",
    ]
}
