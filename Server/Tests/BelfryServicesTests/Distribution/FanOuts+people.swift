/// Statements about people: what their devices and their contact know of each other lies on two shards.
extension FanOut {
    static let contactsOfDevices: [FanOut] = [
        FanOut(
            "Whether a device's contact is known, and when it changed, is in the contact's row.",
            [
                """
                SELECT … FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id
                LEFT JOIN in_app_clocks k ON k.app_id = d.app_id WHERE d.id = …
                """,
                """
                SELECT … FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id
                LEFT JOIN message_centers m ON m.app_id = d.app_id AND m.name = … WHERE d.id = …
                """,
            ]
        ),
        FanOut(
            "A text for a device names its contact. On a distributed database contacts are asked for by themselves.",
            [
                "SELECT … FROM devices d …LEFT JOIN contacts c ON c.id = d.contact_id WHERE d.id = ?",
                """
                SELECT … FROM deliveries l JOIN devices d ON d.id = l.device_id …LEFT JOIN contacts c
                ON c.id = d.contact_id WHERE l.campaign_id = ? AND l.device_id = … AND l.state = 'pending'
                ORDER BY l.device_id
                """,
            ]
        ),
        FanOut(
            "A row of a device was of a contact that may be a part of another one now.",
            [
                "SELECT … FROM events WHERE device_id = ? AND … FROM contacts o …",
                "SELECT … FROM deliveries l WHERE l.device_id = ? AND … FROM contacts o …",
                "SELECT … FROM in_app_copies WHERE device_id = ? AND … FROM contacts o …",
                "SELECT … FROM in_app_clicks WHERE … AND device_id = ? AND … FROM contacts o …",
                "SELECT … FROM in_app_not_shown WHERE … AND device_id = ? AND … FROM contacts o …",
                "SELECT … FROM registrations r WHERE r.device_id = ? AND … FROM contacts o …",
                "SELECT … FROM events WHERE device_id IN (…) AND … FROM contacts o …",
                "SELECT … FROM registrations r WHERE r.device_id IN (…) AND … FROM contacts o …",
                "WITH mine AS (SELECT … FROM deliveries l WHERE … FROM contacts o …",
                "WITH mine AS (SELECT … FROM in_app_copies WHERE device_id IN (…) AND … FROM contacts o …",
                "UPDATE deliveries SET placed = 0 WHERE device_id = ? AND … FROM contacts o …",
                "UPDATE deliveries SET contact_id = NULL WHERE device_id = ? AND … FROM contacts o …",
                "DELETE FROM in_app_copies WHERE device_id = ? AND … FROM contacts o …",
                "DELETE FROM in_app_clicks WHERE … AND device_id = ? AND … FROM contacts o …",
                "DELETE FROM in_app_not_shown WHERE … AND device_id = ? AND … FROM contacts o …",
                "DELETE FROM center_messages WHERE contact_id = ? AND … FROM contacts o …",
            ]
        ),
    ]

    static let devicesOfContacts: [FanOut] = [
        FanOut(
            "The devices of a contact, which link and leave by themselves, are found by the contact's number.",
            [
                """
                SELECT 1 FROM (SELECT 1 FROM devices WHERE contact_id = ? AND id <> ?
                UNION ALL SELECT 1 FROM dormant_devices WHERE contact_id = ? AND id <> ?) d LIMIT 1
                """,
                "SELECT count(*) FROM devices WHERE contact_id = ?",
                "SELECT count(*) FROM (SELECT 1 FROM devices WHERE contact_id = ? LIMIT ?) n",
                "SELECT … FROM devices WHERE contact_id = ? ORDER BY id DESC LIMIT ?",
                "SELECT … FROM devices WHERE contact_id = ? AND id > ? ORDER BY id LIMIT ?",
                "SELECT … FROM devices WHERE contact_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
                "SELECT … FROM devices d LEFT JOIN deliveries l ON … WHERE d.contact_id = ? ORDER BY …",
                "SELECT … FROM contact_links WHERE contact_id = ? ORDER BY …",
                "SELECT … FROM contact_links WHERE contact_id IN (…) LIMIT ?",
                "DELETE FROM contact_links WHERE contact_id IN (…)",
            ]
        ),
        FanOut(
            "Dormant devices of a contact are found in the same ways.",
            [
                "SELECT count(*) FROM dormant_devices WHERE contact_id = ?",
                "SELECT count(*) FROM (SELECT 1 FROM dormant_devices WHERE contact_id = ? LIMIT ?) n",
                "SELECT … FROM dormant_devices devices WHERE contact_id = ? ORDER BY id DESC LIMIT ?",
                "SELECT … FROM dormant_devices devices WHERE contact_id = ? AND id > ? ORDER BY id LIMIT ?",
                "SELECT … FROM dormant_devices devices WHERE contact_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
                "SELECT … FROM dormant_devices d LEFT JOIN deliveries l ON … WHERE d.contact_id = ? ORDER BY …",
            ]
        ),
        FanOut(
            "Nobody needs a contact any more when no device has anything of it.",
            [
                "SELECT … FROM contacts c WHERE c.id = ? AND … NOT EXISTS (SELECT 1 FROM devices d WHERE …)…",
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM devices d WHERE …) … FROM contacts c WHERE c.id = ?",
                """
                SELECT c.id, c.app_id FROM (SELECT … FROM contacts WHERE id BETWEEN ? AND ? …) c \
                WHERE c.updated_at < ? AND …
                """,
                "SELECT c.id, c.app_id FROM contacts c WHERE c.id BETWEEN ? AND ? AND c.updated_at < ? AND …",
                """
                SELECT contact_id FROM devices WHERE contact_id IN (…)
                UNION SELECT contact_id FROM dormant_devices WHERE contact_id IN (…)
                """,
            ]
        ),
    ]

    static let merged: [FanOut] = [
        FanOut(
            "The contacts that became a part of another one stay where they are.",
            [
                "SELECT contact_key FROM contacts WHERE merged_into = ? AND known = 1 ORDER BY updated_at, id LIMIT ?",
                """
                SELECT id, contact_key FROM contacts
                WHERE merged_into = ? AND known = 1 AND +id > ? ORDER BY +id LIMIT ?
                """,
                "SELECT id, contact_key, party_number FROM contacts WHERE merged_into = ? AND id > ? ORDER BY id LIMIT ?",
                "SELECT id FROM contacts WHERE merged_into = ? LIMIT ?",
                "SELECT id FROM (SELECT id, known FROM contacts WHERE merged_into = ? LIMIT ?) p WHERE known = 1",
                "SELECT id FROM contacts WHERE merged_into = ? AND known = 0 AND id <> ? LIMIT ?",
                "SELECT count(*) FROM (SELECT 1 FROM contacts WHERE merged_into = ? LIMIT ?) n",
                "UPDATE contacts SET merged_into = ? WHERE merged_into = ?",
                "DELETE FROM contacts WHERE merged_into = ?…",
                "DELETE FROM contact_openings WHERE contact_id IN (SELECT id FROM contacts WHERE merged_into = ?)",
            ]
        )
    ]
}
