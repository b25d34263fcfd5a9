/// Apps, contacts, devices, registrations, events, campaigns and their ledger.
enum Version01FirstTables {
    static let migration = Migration(version: 1) { dialect in
        apps(dialect) + people(dialect) + intake(dialect) + campaigns(dialect)
    }

    private static func apps(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE apps (
                id \(dialect.identityColumn), code TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
                settings TEXT NOT NULL, created_at BIGINT NOT NULL)
            """,
            """
            CREATE TABLE admin_keys (
                id \(dialect.identityColumn), key_hash \(dialect.blobType) NOT NULL UNIQUE, app_id BIGINT NOT NULL,
                scopes TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT)
            """,
            """
            CREATE TABLE audit_log (
                id \(dialect.sequenceColumn), at BIGINT NOT NULL, actor TEXT NOT NULL, app TEXT, action TEXT NOT NULL,
                target TEXT)
            """,
            """
            CREATE TABLE credentials (
                app_id BIGINT NOT NULL, provider TEXT NOT NULL, sealed \(dialect.blobType) NOT NULL,
                revision BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (app_id, provider))
            """,
            """
            CREATE TABLE attributes (
                app_id BIGINT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, created_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, name))
            """,
        ]
    }

    private static func people(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE contacts (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, contact_key TEXT NOT NULL, known BIGINT NOT NULL,
                attributes TEXT NOT NULL, party TEXT, last_opened_at BIGINT, created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL, UNIQUE (app_id, contact_key))
            """,
            """
            CREATE TABLE contact_tags (
                contact_id BIGINT NOT NULL, tag TEXT NOT NULL, device_id BIGINT NOT NULL,
                PRIMARY KEY (contact_id, tag, device_id)) \(dialect.clustered)
            """,
            """
            CREATE TABLE devices (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
                link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
                push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
                push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
                platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
                time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
                token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
                created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (app_id, client_id))
            """,
            """
            CREATE INDEX devices_by_token ON devices \(dialect.lookup("push_token", and: "app_id"))
            WHERE push_token IS NOT NULL
            """,
            "CREATE INDEX devices_by_contact ON devices (contact_id)",
            "CREATE INDEX devices_by_opt_out ON devices (app_id, opt_out_reason) WHERE opt_out_reason IS NOT NULL",
            """
            CREATE TABLE refresh_tokens (
                token_hash \(dialect.blobType) NOT NULL PRIMARY KEY, device_id BIGINT NOT NULL,
                generation BIGINT NOT NULL, created_at BIGINT NOT NULL)
            """,
            "CREATE INDEX refresh_tokens_by_device ON refresh_tokens (device_id)",
        ]
    }

    private static func intake(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE registrations (
                id \(dialect.sequenceColumn), device_id BIGINT NOT NULL, registration_id TEXT NOT NULL,
                revision BIGINT NOT NULL, snapshot TEXT NOT NULL, status TEXT NOT NULL, rejected TEXT NOT NULL,
                request_order BIGINT NOT NULL, received_at BIGINT NOT NULL, processed_at BIGINT,
                UNIQUE (device_id, registration_id))
            """,
            "CREATE INDEX registrations_waiting ON registrations (id) WHERE status = 'received'",
            "CREATE INDEX registrations_by_revision ON registrations (device_id, revision)",
            """
            CREATE TABLE events (
                id \(dialect.sequenceColumn), device_id BIGINT NOT NULL, event_id TEXT NOT NULL, app_id BIGINT NOT NULL,
                contact_id BIGINT, kind TEXT NOT NULL, name TEXT NOT NULL, at BIGINT NOT NULL,
                received_at BIGINT NOT NULL, session_id TEXT, attributes TEXT NOT NULL)
            """,
            "CREATE UNIQUE INDEX events_once ON events (device_id, event_id)",
        ]
    }

    private static func campaigns(_ dialect: any Dialect) -> [SQLText] {
        [
            """
            CREATE TABLE campaigns (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
                content TEXT NOT NULL, status TEXT NOT NULL, status_reason TEXT, created_at BIGINT NOT NULL,
                launched_at BIGINT, ended_at BIGINT, retries_from BIGINT, planned_to BIGINT NOT NULL,
                plan_end BIGINT NOT NULL, planned BIGINT NOT NULL, watch TEXT)
            """,
            "CREATE INDEX campaigns_by_app ON campaigns (app_id, id)",
            "CREATE INDEX campaigns_unplanned ON campaigns (id) WHERE planned = 0 AND launched_at IS NOT NULL",
            """
            CREATE TABLE batches (
                campaign_id BIGINT NOT NULL, number BIGINT NOT NULL, first_device BIGINT NOT NULL,
                last_device BIGINT NOT NULL, available_at BIGINT NOT NULL, lease_owner TEXT, lease_until BIGINT NOT NULL,
                PRIMARY KEY (campaign_id, number))
            """,
            """
            CREATE TABLE deliveries (
                campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT, state TEXT NOT NULL,
                reason TEXT, attempts BIGINT NOT NULL, retry_at BIGINT, note TEXT, updated_at BIGINT NOT NULL,
                received_at BIGINT, displayed_at BIGINT, opened_at BIGINT, dismissed_at BIGINT,
                PRIMARY KEY (campaign_id, device_id)) \(dialect.clustered)
            """,
        ]
    }
}
