/// The table for dead devices, so that the tables and indexes of devices in use stay small (FLEET-2).
///
/// The columns are those of `devices`, in the same order: rows are moved unchanged, with any columns that a later
/// version adds to both. There is no index by token or opt-out, since dead devices are never searched by these.
enum Version26DormantDevices {
    static func tables(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE dormant_devices (
                id \(dialect.numberColumn), app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
                link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
                push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
                push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
                platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
                time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
                token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
                created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0,
                token_generation BIGINT NOT NULL DEFAULT 0, properties_generation BIGINT NOT NULL DEFAULT 0,
                contact_generation BIGINT NOT NULL DEFAULT 0, order_epoch BIGINT NOT NULL DEFAULT 0,
                v3_version TEXT, v3_channel TEXT, tag_contact_id BIGINT, tag_generation BIGINT)
            """,
            "CREATE INDEX dormant_devices_by_app ON dormant_devices (app_id, id)",
            "CREATE INDEX dormant_devices_by_client ON dormant_devices (app_id, lower(client_id))",
            "CREATE INDEX dormant_devices_by_contact ON dormant_devices (contact_id, id)",
            // Anyone may ask for a device by id alone, however many installations the id has (WIRE-20).
            """
            CREATE INDEX dormant_devices_unlinked ON dormant_devices (app_id, lower(client_id), client_id)
            WHERE contact_id IS NULL
            """,
        ]
    }
}
