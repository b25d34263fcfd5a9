import Foundation

/// Statements whose conditions do not lead to the shards of all their rows, and why they are as they are (FLEET-5).
///
/// A pattern says as much as tells a statement from its neighbours, its conditions above all. Whoever makes a statement
/// that stays on a shard removes it here.
struct FanOut {
    let reason: String
    let statements: [StatementPattern]

    init(_ reason: String, _ statements: [String]) {
        self.reason = reason
        self.statements = statements.map { StatementPattern($0) }
    }

    /// - Parameter statement: squeezed.
    func contains(_ statement: Data) -> Bool {
        statements.contains { $0.matches(statement) }
    }

    /// Of audiences there are most, so they come first.
    static let all: [FanOut] = [
        audiences, names, registrations, waiting, ledger, figures, contactsOfDevices, devicesOfContacts, merged, walks,
    ].flatMap { $0 }
}

extension FanOut {
    /// What is found by a text. One server has indexes of these. On a distributed database directories are asked instead, in
    /// which each text has its entries on a shard of its own, for client ids, push tokens and keys.
    static let names: [FanOut] = [
        FanOut(
            "One server finds installations by their client id, dormant ones as well.",
            [
                "SELECT … FROM devices WHERE app_id = ? AND lower(client_id) = ?…",
                "SELECT … FROM dormant_devices …WHERE app_id = ? AND lower(client_id) = ?…",
                """
                SELECT … FROM devices WHERE id = (SELECT … FROM devices
                WHERE app_id = ? AND lower(client_id) = ?…)
                """,
                """
                SELECT … FROM dormant_devices devices WHERE id = (SELECT … FROM dormant_devices devices
                WHERE app_id = ? AND lower(client_id) = ?…)
                """,
            ]
        ),
        FanOut(
            "On one server a push token leads to the devices that have it.",
            [
                "SELECT … FROM devices WHERE push_token = ? AND app_id = ? AND push_provider = ? AND id <> ?",
                "SELECT … FROM devices WHERE push_token IN (…) AND +app_id = ? AND +id < ? ORDER BY …",
            ]
        ),
        FanOut(
            "A refresh token that a former program gave out does not name its device.",
            ["SELECT device_id, generation FROM refresh_tokens WHERE token_hash = ?"]
        ),
        FanOut(
            "Contacts are found by their key, and a key is given once.",
            [
                "SELECT id FROM contacts WHERE app_id = ? AND contact_key = ?",
                "SELECT coalesce(merged_into, id) FROM contacts WHERE app_id = ? AND contact_key = ?",
                """
                SELECT … FROM contacts WHERE id = (SELECT coalesce(k.merged_into, k.id) FROM contacts k
                WHERE k.app_id = ? AND k.contact_key = ? AND (k.merged_into IS NULL OR k.known = 1))
                """,
                """
                SELECT … FROM contacts k JOIN contacts c ON c.id = coalesce(k.merged_into, k.id)
                WHERE k.app_id = ? AND k.contact_key = ?
                """,
                """
                INSERT INTO contacts (…) VALUES (…) ON CONFLICT (app_id, contact_key)
                DO UPDATE SET updated_at = excluded.updated_at RETURNING coalesce(merged_into, id)
                """,
            ]
        ),
        FanOut(
            "Operators look for people by the beginning of a key, and by the number of a party identifier.",
            [
                "SELECT … FROM contacts WHERE app_id = ? AND contact_key >= ? AND … ORDER BY contact_key LIMIT ?",
                """
                SELECT … FROM (SELECT DISTINCT coalesce(k.merged_into, k.id) AS id FROM contacts k
                WHERE k.app_id = ? AND k.party_number = ? AND …) f
                CROSS JOIN contacts c WHERE c.id = f.id AND f.id < ? ORDER BY f.id DESC LIMIT ?
                """,
            ]
        ),
    ]

    static let registrations: [FanOut] = [
        FanOut(
            "The attempts at a registration, and its name in quarantine, have its number and not its device.",
            [
                "SELECT device_id FROM registrations WHERE id = ?",
                "SELECT … FROM registrations WHERE id = ? AND status = 'received'",
                "SELECT d.app_id FROM registrations r JOIN devices d ON d.id = r.device_id WHERE r.id = ?",
            ]
        ),
        FanOut(
            "Registrations are applied in the order of their numbers, whatever devices they are of.",
            [
                "SELECT … FROM registrations WHERE status = 'received'… ORDER BY id LIMIT ?…",
                """
                SELECT r.id, d.app_id FROM registrations r LEFT JOIN devices d ON d.id = r.device_id
                WHERE r.status = 'received' AND r.id BETWEEN ? AND ? ORDER BY r.id
                """,
            ]
        ),
        FanOut(
            "Who changes a contact as a whole looks for what devices have still to say to it, or of it, which is little.",
            ["SELECT device_id FROM contact_words WHERE contact_id = ? OR former_id = ?"]
        ),
        FanOut(
            "What registrations said of an attribute is read again once it has another type.",
            [
                "SELECT coalesce(max(id), 0) FROM registrations",
                """
                SELECT … FROM registrations r WHERE r.id BETWEEN ? AND ? AND …
                FROM devices d WHERE d.id = r.device_id AND d.app_id + 0 = ?) = 1 ORDER BY r.id DESC
                """,
                """
                SELECT … FROM registrations r WHERE r.id BETWEEN ? AND ? AND …
                FROM dormant_devices d WHERE d.id = r.device_id AND d.app_id + 0 = ?) = 1 ORDER BY r.id DESC
                """,
            ]
        ),
    ]

    /// Work of whatever device it is.
    static let waiting: [FanOut] = [
        FanOut(
            "Silent pushes are sent in the order in which they are due.",
            [
                "SELECT … FROM silent_pushes WHERE app_id = ? AND due_at <= ? AND … ORDER BY due_at LIMIT ?…",
                "SELECT a.id, (SELECT p.due_at FROM silent_pushes p WHERE p.app_id = a.id AND …) FROM apps a",
                "SELECT p.due_at FROM silent_pushes p WHERE p.app_id = ? AND … ORDER BY p.due_at LIMIT 1",
                "SELECT app_id + 0, min(due_at) FROM silent_pushes p WHERE lease_owner IS NOT NULL AND …",
                """
                WITH begun AS MATERIALIZED (…) SELECT … FROM silent_pushes p
                WHERE lease_owner IS NOT NULL AND due_at <= ? AND …
                """,
                "SELECT … FROM silent_pushes WHERE lease_owner IS NOT NULL AND due_at > ? ORDER BY due_at LIMIT ?",
                "UPDATE silent_pushes SET due_at = 0 WHERE lease_owner IS NOT NULL",
                "UPDATE silent_pushes SET due_at = ? WHERE app_id = ? AND due_at > ? AND lease_owner IS NULL",
            ]
        ),
        FanOut(
            "Operators see how much waits.",
            [
                "SELECT count(*), min(received_at) FROM (SELECT received_at FROM registrations WHERE …) waiting",
                "SELECT count(*), NULL FROM (SELECT 1 FROM silent_pushes WHERE …) waiting",
            ]
        ),
        FanOut(
            "New credentials let all devices back in that the old ones kept out.",
            [
                "SELECT count(*) FROM (SELECT 1 FROM devices WHERE app_id = ? AND opt_out_reason = ? AND …) d",
                "SELECT 1 FROM devices WHERE app_id = ? AND opt_out_reason = ? AND opt_out_at >= ? AND … LIMIT 1",
                "SELECT id FROM devices WHERE app_id = ? AND opt_out_reason = ? AND opt_out_at >= ? AND … LIMIT ?",
            ]
        ),
    ]

    static let ledger: [FanOut] = [
        FanOut(
            "On one server a batch is a range of devices. On a distributed database they are listed, and all of one shard.",
            [
                """
                SELECT … FROM deliveries l JOIN devices d ON d.id = l.device_id … WHERE l.campaign_id = ?
                AND l.device_id BETWEEN ? AND ? AND l.state = 'pending' AND … ORDER BY l.device_id LIMIT ?
                """,
                "SELECT device_id FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND (…)",
                """
                SELECT device_id, CASE … FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND (…)
                """,
                "SELECT DISTINCT note FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND …",
                "SELECT min(…), min(…) FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND …",
                "UPDATE deliveries SET state = …, … WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND …",
                "UPDATE deliveries SET retry_at = NULL WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND …",
                """
                INSERT INTO deliveries (…) SELECT ?, a.device_id, a.contact_id, 'pending', 0, ?
                FROM audience_… a WHERE a.device_id BETWEEN ? AND ?
                """,
            ]
        ),
        FanOut(
            "What a campaign has left to do is asked of its whole ledger.",
            [
                "SELECT 1 FROM deliveries WHERE campaign_id = ? AND state = 'pending' LIMIT 1",
                "SELECT device_id, state FROM deliveries WHERE campaign_id = ? AND device_id > ? ORDER BY …",
            ]
        ),
        FanOut(
            "Operators page through what became of a campaign.",
            [
                """
                SELECT … FROM deliveries l WHERE l.campaign_id = ? AND l.device_id BETWEEN ? AND ?…
                ORDER BY l.device_id LIMIT ?
                """,
                """
                SELECT device_id, state, reason FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?
                ORDER BY device_id LIMIT ?
                """,
                "SELECT … FROM center_messages m … WHERE m.campaign_id = ? AND m.contact_id > ? ORDER BY …",
            ]
        ),
    ]

    /// Sums over the devices of a campaign: each shard has its part.
    static let figures: [FanOut] = [
        FanOut(
            "A campaign's figures are of all its devices.",
            [
                "SELECT state, … FROM deliveries WHERE campaign_id = ? GROUP BY state…",
                """
                SELECT state, … FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?
                GROUP BY state, coalesce(reason, '')
                """,
                """
                SELECT … AS quarter, … FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ? AND …
                """,
                "SELECT max(device_id) FROM (SELECT device_id FROM deliveries WHERE campaign_id = ? AND …) l",
                "SELECT … FROM center_engagement WHERE campaign_id = ?",
                "SELECT count(…), … FROM in_app_copies WHERE campaign_id = ?",
                "SELECT … AS total FROM in_app_clicks WHERE campaign_id = ? GROUP BY …",
                "SELECT … AS total FROM in_app_not_shown WHERE campaign_id = ? GROUP BY …",
                "SELECT count(*) FROM (SELECT 1 FROM center_messages WHERE campaign_id = ? LIMIT ?) m",
                "SELECT …, (SELECT m.center FROM center_messages m WHERE …) FROM campaigns WHERE …",
                "SELECT center FROM center_messages WHERE campaign_id = ? LIMIT 1",
            ]
        )
    ]

    /// Through a whole table, some numbers at a time.
    static let walks: [FanOut] = [
        FanOut(
            "Operators list the devices and contacts of an app, the newest first.",
            [
                "SELECT … FROM devices WHERE app_id = ANY (…) AND id < ? ORDER BY app_id DESC, id DESC LIMIT ?",
                """
                SELECT … FROM dormant_devices …WHERE app_id = ANY (…) AND id < ?
                ORDER BY app_id DESC, id DESC LIMIT ?
                """,
                """
                SELECT … FROM contacts WHERE app_id = ANY (…) AND merged_into IS NULL AND id < ?
                ORDER BY app_id DESC, id DESC LIMIT ?
                """,
                "SELECT DISTINCT contact_id FROM former_devices WHERE app_id = ? AND contact_id < ? ORDER BY …",
            ]
        ),
        FanOut(
            "A page of a rehearsal beside other campaigns ends so many devices of the app later.",
            ["SELECT device_id FROM audience_… WHERE device_id > ? ORDER BY device_id LIMIT 1 OFFSET ?"]
        ),
        FanOut(
            "A walk ends at the highest number.",
            [
                "SELECT max(id) FROM devices", "SELECT max(id) FROM dormant_devices", "SELECT max(id) FROM contacts",
                "SELECT min(device_id) FROM audience_…", "SELECT max(device_id) FROM audience_…",
            ]
        ),
        FanOut(
            "Housekeeping removes what is old from all shards, a range of numbers at a time.",
            [
                "SELECT 1 FROM events WHERE device_id BETWEEN ? AND ? AND … LIMIT 1",
                "SELECT device_id, event_id, attributes FROM events WHERE device_id BETWEEN ? AND ? AND … LIMIT ?",
                "SELECT 1 FROM center_messages m WHERE m.contact_id BETWEEN ? AND ? AND … LIMIT 1",
                """
                SELECT m.contact_id, m.campaign_id, m.body, m.rich_html FROM center_messages m
                WHERE m.contact_id BETWEEN ? AND ? AND … LIMIT ?
                """,
                "SELECT 1 FROM rich_confirmations r WHERE r.contact_id BETWEEN ? AND ? AND … LIMIT 1",
                "DELETE FROM rich_confirmations WHERE (contact_id, campaign_id, device_id) IN (…)",
                "SELECT r.id, r.device_id, … FROM registrations r WHERE r.id > ? ORDER BY r.id LIMIT ?",
                "SELECT device_id, CASE … FROM silent_pushes WHERE device_id > ? ORDER BY device_id LIMIT ?",
                "SELECT device_id FROM device_openings WHERE device_id > ? ORDER BY device_id LIMIT ?",
                "SELECT contact_id FROM contact_openings WHERE contact_id > ? ORDER BY contact_id LIMIT ?",
                "DELETE FROM takeover_offers WHERE offered_at < ?",
            ]
        ),
        FanOut(
            "The ledger of a campaign goes after the app's term, a range of devices at a time.",
            ["DELETE FROM deliveries WHERE campaign_id = ? AND device_id BETWEEN ? AND ?"]
        ),
        FanOut(
            "Dead devices are looked for among all, a range of numbers at a time.",
            [
                """
                SELECT id, app_id, CASE … FROM devices
                WHERE id BETWEEN ? AND ? AND updated_at < ? AND (…) = 0 ORDER BY id
                """
            ]
        ),
        FanOut(
            "What contacts have of an attribute is read again once it has another type.",
            ["SELECT … FROM contacts WHERE id BETWEEN ? AND ? AND app_id = ? AND attributes <> '{}' ORDER BY id"]
        ),
    ]
}
