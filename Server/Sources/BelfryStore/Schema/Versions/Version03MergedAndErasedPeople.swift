/// Anonymous contacts that were merged into known ones (ID-8), contacts that devices have left (REG-24), erased
/// installations (REG-36), responses to repeated writes (ADM-3), and the times that housekeeping needs.
enum Version03MergedAndErasedPeople {
    static let migration = Migration(version: 3) { dialect in
        contacts(dialect) + erasure(dialect) + answers(dialect)
    }

    private static func contacts(_ dialect: any Dialect) -> [SQLText] {
        [
            "ALTER TABLE contacts ADD COLUMN merged_into BIGINT",
            "CREATE INDEX contacts_by_app ON contacts (app_id, id) WHERE merged_into IS NULL",
            "CREATE INDEX contacts_by_merger ON contacts (merged_into) WHERE merged_into IS NOT NULL",
            // Devices that have left a contact. The contact's events and deliveries are those of its devices and of
            // these, so the two busiest tables need no index by contact.
            """
            CREATE TABLE former_devices (
                app_id BIGINT NOT NULL, contact_id BIGINT NOT NULL, device_id BIGINT NOT NULL,
                PRIMARY KEY (app_id, contact_id, device_id)) \(dialect.clustered)
            """,
            // Device 0 stands for an unknown device.
            """
            INSERT INTO former_devices (app_id, contact_id, device_id)
            SELECT d.app_id, e.contact_id, d.id FROM events e JOIN devices d ON d.id = e.device_id
            WHERE e.contact_id <> coalesce(d.contact_id, 0)
            UNION
            SELECT d.app_id, l.contact_id, d.id FROM deliveries l JOIN devices d ON d.id = l.device_id
            WHERE l.contact_id <> coalesce(d.contact_id, 0)
            UNION
            SELECT c.app_id, c.id, 0 FROM contacts c
            WHERE NOT EXISTS (SELECT 1 FROM devices d WHERE d.contact_id = c.id)
            """,
        ]
    }

    private static func erasure(_ dialect: any Dialect) -> [SQLText] {
        [
            "CREATE INDEX devices_by_client ON devices (app_id, lower(client_id))",
            """
            CREATE TABLE erased_devices (
                app_id BIGINT NOT NULL, client_id TEXT NOT NULL, erased_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, client_id)) \(dialect.clustered)
            """,
        ]
    }

    private static func answers(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE idempotent_answers (
                principal TEXT NOT NULL, idempotency_key TEXT NOT NULL, request_hash \(dialect.blobType) NOT NULL,
                status BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL,
                PRIMARY KEY (principal, idempotency_key))
            """,
            "CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at)",
            "CREATE INDEX audit_log_by_age ON audit_log (at)",
        ]
    }
}
