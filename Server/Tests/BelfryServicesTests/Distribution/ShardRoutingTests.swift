import Testing

/// FLEET-5: what the judge of statements finds, and what it does not.
struct ShardRoutingTests {
    typealias Finding = ShardRouting.Finding

    private func expect(_ findings: Set<Finding>, in statement: String) {
        #expect(ShardRouting(of: statement).findings == findings, "\(statement)")
    }

    @Test(
        "FLEET-5: a comparison of the distribution column with values leads to the rows",
        arguments: [
            "SELECT name FROM devices WHERE id = ?",
            "SELECT name FROM devices d WHERE d.app_id = ? AND ((d.id = ?))",
            "SELECT name FROM devices WHERE ? = id",
            "SELECT name FROM devices AS d WHERE d.id = CAST(? AS BIGINT)",
            "SELECT name FROM devices WHERE id = ?::bigint AND id BETWEEN ? AND ? AND name IS NOT NULL",
            "SELECT name FROM events WHERE device_id IN (?, ?)",
            "SELECT name FROM events WHERE device_id IN (SELECT v::bigint FROM json_array_elements(?) AS l (v))",
            "SELECT name FROM events WHERE (device_id, event_id) IN (SELECT u.a, u.b FROM unnest(?, ?) AS u (a, b))",
            "UPDATE devices SET name = ? WHERE id = ? AND name <> ?",
            "DELETE FROM events WHERE device_id = ? AND name IN ('a', 'b')",
            "SELECT a.name FROM audience_17 a WHERE (a.device_id = ?) AND (a.x = ? OR a.y = ?)",
            "SELECT name FROM \"devices\" WHERE \"devices\".\"id\" = ?",
        ]
    )
    func values(statement: String) {
        expect([], in: statement)
    }

    @Test(
        "FLEET-5: what compares something else, or holds for some rows only, leads nowhere",
        arguments: [
            "SELECT id FROM devices",
            "SELECT id FROM devices WHERE contact_id = ?",
            "SELECT id FROM devices WHERE id = ? OR name = ?",
            "SELECT id FROM devices WHERE NOT id = ?",
            "SELECT id FROM devices WHERE id <> ? AND id NOT IN (?, ?)",
            "SELECT id FROM devices WHERE id + 0 = ?",
            "SELECT id FROM devices WHERE id = contact_id",
            "SELECT id FROM devices WHERE 'id = ?' = ?",
            "SELECT id FROM devices WHERE CASE WHEN id = ? THEN 1 END = 1",
            "SELECT id FROM devices WHERE (id = ?) IS TRUE",
            "SELECT id FROM devices ORDER BY id = ?",
            "UPDATE devices SET name = ?, app_id = ? RETURNING id",
            "DELETE FROM devices",
            "SELECT (SELECT count(*) FROM devices d WHERE d.app_id = a.id) FROM apps a WHERE a.id = ?",
            "SELECT id FROM devices WHERE id IS NOT DISTINCT FROM ?",
            "SELECT id FROM devices d WHERE NOT EXISTS (SELECT 1 FROM work_attempts w WHERE w.subject = d.id)",
            """
            SELECT id FROM devices d WHERE NOT EXISTS (
                SELECT 1 FROM events e WHERE e.device_id = d.id AND e.device_id = ? AND d.id = ?)
            """,
        ]
    )
    func nothing(statement: String) {
        expect([.everywhere("devices")], in: statement)
    }

    @Test(
        "FLEET-5: a range of the distribution column is named, and is not enough",
        arguments: [
            "SELECT id FROM devices WHERE id BETWEEN ? AND ? AND name = ?", "SELECT id FROM devices WHERE +id < ?",
            "SELECT id FROM devices d WHERE ? >= d.id", "DELETE FROM devices WHERE id > ? AND name = ?",
        ]
    )
    func ranges(statement: String) {
        expect([.range("devices")], in: statement)
    }

    @Test("FLEET-5: tables of one owner that are joined by the distribution column have their rows together")
    func joins() {
        expect(
            [],
            in: """
                SELECT d.id FROM devices d LEFT JOIN events e ON e.device_id = d.id AND e.name = ?
                LEFT JOIN message_centers m ON m.app_id = d.app_id WHERE d.id = ?
                """
        )
        expect(
            [],
            in: """
                SELECT r.id FROM registrations r WHERE r.device_id = ? AND NOT EXISTS (
                    SELECT 1 FROM registrations n WHERE n.device_id = r.device_id AND n.revision > r.revision)
                """
        )
        expect(
            [.everywhere("devices"), .everywhere("events")],
            in: "SELECT d.id FROM devices d JOIN events e ON e.device_id = d.id WHERE d.app_id = ?"
        )
        expect(
            [.range("devices"), .range("deliveries")],
            in: """
                SELECT d.id FROM deliveries l JOIN devices d ON d.id = l.device_id WHERE l.device_id BETWEEN ? AND ?
                """
        )
    }

    @Test("FLEET-5: a number that stands in a row of another shard leads nowhere")
    func acrossOwners() {
        expect(
            [.everywhere("contacts")],
            in: "SELECT d.id FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id WHERE d.id = ?"
        )
        expect(
            [.everywhere("contacts")],
            in: """
                DELETE FROM events WHERE device_id = ?
                AND (SELECT coalesce(o.merged_into, o.id) FROM contacts o WHERE o.id = contact_id) = ?
                """
        )
        expect(
            [.everywhere("devices")],
            in: "SELECT f.device_id FROM former_devices f JOIN devices d ON d.id = f.device_id WHERE f.contact_id = ?"
        )
        // Not even when both are distribution columns.
        expect(
            [.everywhere("devices")],
            in: "SELECT m.state FROM center_messages m JOIN devices d ON d.id = m.contact_id WHERE m.contact_id = ?"
        )
        expect(
            [.everywhere("devices")],
            in: "SELECT id FROM devices WHERE id IN (SELECT f.device_id FROM former_devices f WHERE f.contact_id = ?)"
        )
        expect(
            [.everywhere("contacts")],
            in: "SELECT id FROM contacts WHERE id = (SELECT d.contact_id FROM devices d WHERE d.id = ?)"
        )
    }

    @Test("FLEET-5: conditions reach through a query in the place of a table, and from a union to its parts")
    func queriesAsTables() {
        expect(
            [],
            in: "SELECT a.x FROM (SELECT t.*, 1 AS x FROM audience_1 t WHERE t.known = 1) a WHERE a.device_id = ?"
        )
        expect(
            [],
            in: """
                SELECT device_id FROM (SELECT device_id FROM events UNION ALL SELECT device_id FROM deliveries) h
                WHERE h.device_id = ?
                """
        )
        expect(
            [.everywhere("events")],
            in: "SELECT x FROM (SELECT contact_id AS x FROM events) e WHERE e.x = ?"
        )
        expect(
            [],
            in: """
                SELECT found.*, asked.place
                FROM unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS asked (key1, key2, place)
                CROSS JOIN LATERAL (SELECT d.id FROM devices d WHERE d.id = asked.key1 AND d.name = asked.key2) found
                """
        )
        expect(
            [],
            in: """
                WITH due AS (SELECT campaign_id, number FROM batches LIMIT 1 FOR UPDATE SKIP LOCKED)
                UPDATE batches SET lease_owner = ? WHERE (campaign_id, number) IN (SELECT campaign_id, number FROM due)
                """
        )
        expect(
            [.range("events")],
            in: """
                DELETE FROM events WHERE (device_id, event_id) IN (
                    SELECT device_id, event_id FROM events WHERE device_id BETWEEN ? AND ? LIMIT ?)
                """
        )
    }

    @Test("FLEET-5: a row goes to the shard of the number that it has, and stays there")
    func writes() {
        expect([], in: "INSERT INTO events (device_id, name) VALUES (?, ?) ON CONFLICT (device_id, name) DO NOTHING")
        expect([], in: "INSERT INTO devices (app_id, name) VALUES (?, ?) RETURNING id")
        expect([.everywhere("events")], in: "INSERT INTO events (event_id, name) VALUES (?, ?)")
        expect(
            [.conflictKey("contacts")],
            in: "INSERT INTO contacts (app_id, contact_key) VALUES (?, ?) ON CONFLICT (app_id, contact_key) DO NOTHING"
        )
        expect(
            [.everywhere("contact_tags")],
            in: """
                INSERT INTO contact_tags (contact_id, tag) SELECT ?, tag FROM contact_tags WHERE tag = ?
                ON CONFLICT DO NOTHING
                """
        )
        expect(
            [.moves("center_messages")],
            in: "UPDATE center_messages SET state = ?, contact_id = ? WHERE contact_id = ?"
        )
    }

    @Test(
        "FLEET-5: what the judge cannot read is a finding; what touches no rows of the schema is none",
        arguments: [
            ("SELECT 1 FROM things", []), ("SELECT count(*) FROM pg_class", []),
            ("SELECT 1 FROM information_schema.columns", []),
            ("SELECT id FROM devices WHERE id = (?", [.unreadable]), ("SELECT 'a FROM devices", [.unreadable]),
            ("SELECT a) FROM devices", [.unreadable]), ("SELECT CASE WHEN a FROM devices", [.unreadable]),
            ("SELECT a FROM 'devices'", [.unreadable]), ("MERGE INTO devices", [.unreadable]), ("", [.unreadable]),
            ("select id from devices", [.unreadable]), ("BEGIN ISOLATION LEVEL SERIALIZABLE", []), ("COMMIT", []),
            ("CREATE INDEX devices_by_name ON devices (name)", []), ("SET LOCAL lock_timeout = 1", []),
            ("SELECT set_config('statement_timeout', ?, true)", []),
        ] as [(String, [Finding])]
    )
    func limits(statement: String, findings: [Finding]) {
        expect(Set(findings), in: statement)
    }
}
