import BelfryModel

/// Orders are compared within an epoch (ID-10); an id may belong to several installations (WIRE-20); contacts are found
/// by party identifier (ID-9); a re-installed app takes its contact over (REG-23).
enum Version14IdentityOrders {
    static let migration = Migration(version: 14, fill: fillParties) { dialect in
        devices(dialect) + parties + [
            "ALTER TABLE registrations ADD COLUMN generation BIGINT NOT NULL DEFAULT 0",
            // The takeover offer to an installation: the contact of the installation that had its push token before.
            """
            CREATE TABLE takeover_offers (
                device_id BIGINT NOT NULL PRIMARY KEY, contact_id BIGINT NOT NULL, former_contact_id BIGINT NOT NULL,
                former_device_id BIGINT NOT NULL, offered_at BIGINT NOT NULL)
            """,
            "CREATE INDEX takeover_offers_by_age ON takeover_offers (offered_at)",
        ]
    }

    private static let orders =
        ["token_generation", "properties_generation", "contact_generation", "order_epoch"] as [SQLText]

    /// An id alone no longer identifies a device. If the engine cannot remove the constraint, the table is made again.
    private static func devices(_ dialect: any Dialect) -> [SQLText] {
        guard !dialect.dropsConstraints else {
            return ["ALTER TABLE devices DROP CONSTRAINT devices_app_id_client_id_key"]
                + orders.map { "ALTER TABLE devices ADD COLUMN \($0) BIGINT NOT NULL DEFAULT 0" }
        }
        let columns: SQLText = """
            id, app_id, client_id, contact_id, link_generation, confirmed_generation, push_token, push_provider,
            push_environment, token_at, push_enabled, os_push_enabled, opt_out_reason, opt_out_at, platform, os_version,
            app_version, sdk_version, device_model, locale, time_zone, last_opened_at, revision, applied, token_order,
            properties_order, contact_order, created_at, updated_at, epoch
            """
        return [
            """
            CREATE TABLE devices_anew (
                id \(dialect.identityColumn), app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
                link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
                push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
                push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
                platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
                time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
                token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
                created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0,
                \(orders.map { "\($0) BIGINT NOT NULL DEFAULT 0" }.joined(by: ", ")))
            """,
            "INSERT INTO devices_anew (\(columns)) SELECT \(columns) FROM devices ORDER BY id",
            // Numbers of deleted devices are not used again.
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT 'devices_anew', 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'devices_anew')
            """,
            """
            UPDATE sqlite_sequence
            SET seq = coalesce((SELECT max(s.seq) FROM sqlite_sequence s WHERE s.name = 'devices'), seq)
            WHERE name = 'devices_anew'
            """,
            "DROP TABLE devices",
            "ALTER TABLE devices_anew RENAME TO devices",
            """
            CREATE INDEX devices_by_token ON devices \(dialect.lookup("push_token", and: "app_id"))
            WHERE push_token IS NOT NULL
            """,
            "CREATE INDEX devices_by_contact ON devices (contact_id)",
            "CREATE INDEX devices_by_opt_out ON devices (app_id, opt_out_reason) WHERE opt_out_reason IS NOT NULL",
            "CREATE INDEX devices_by_client ON devices (app_id, lower(client_id))",
        ]
    }

    /// The parts of a party identifier, in addition to its JSON.
    private static let parties: [SQLText] = [
        "ALTER TABLE contacts ADD COLUMN party_type TEXT",
        "ALTER TABLE contacts ADD COLUMN party_name TEXT",
        "ALTER TABLE contacts ADD COLUMN party_number TEXT",
        "CREATE INDEX contacts_by_party ON contacts (app_id, party_number) WHERE party_number IS NOT NULL",
    ]

    private static let page = 1_000

    @Sendable private static func fillParties(_ connection: any SQLConnection) throws {
        var position: Int64 = 0
        while true {
            let rows = try connection.query(
                "SELECT id, party FROM contacts WHERE id > ? AND party IS NOT NULL ORDER BY id LIMIT ?",
                [.integer(position), .integer(page)]
            ) { (id: $0.integer(0), party: $0.text(1)) }
            for row in rows {
                let party = try? JSONText.decode(PartyIdentifier.self, row.party)
                try connection.execute(
                    "UPDATE contacts SET party_type = ?, party_name = ?, party_number = ? WHERE id = ?",
                    ContactRow.values(of: party) + [.integer(row.id)]
                )
            }
            guard rows.count == page, let last = rows.last else { return }
            position = last.id
        }
    }
}
