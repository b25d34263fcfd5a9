/// Statements about audiences, and about the tables in which these are looked for.
extension FanOut {
    static let audiences: [FanOut] = [
        FanOut(
            "Whoever belongs to an audience is among all devices; a range of them is one after another by number.",
            [
                "SELECT count(*) FROM …audience_… a WHERE …device_id BETWEEN ? AND ? AND …",
                "SELECT count(*) FROM (…) k CROSS JOIN …audience_… a WHERE k.device_id BETWEEN ? AND ? AND …",
                "SELECT a.device_id, a.contact_id FROM …audience_… a WHERE … ORDER BY a.device_id…",
                "SELECT a.time_zone, count(*) AS devices FROM …audience_… a WHERE … GROUP BY a.time_zone …",
                "SELECT audiences, count(*) FROM (SELECT … FROM …audience_… a WHERE …) o GROUP BY audiences",
                "SELECT DISTINCT a.contact_id FROM …audience_… a WHERE … ORDER BY a.contact_id DESC LIMIT ?",
                "SELECT … FROM …audience_… a JOIN devices d ON … WHERE … ORDER BY a.device_id LIMIT ?",
                "SELECT count(*) FROM (SELECT 1 FROM (…) i LIMIT ?) n",
                "SELECT …+p.device_id AS device_id FROM …audience_… p WHERE …",
                "SELECT +d.id AS device_id FROM devices d WHERE d.app_id = ? AND …",
            ]
        ),
        FanOut(
            "Whether a device belongs to an audience depends on its contact's tags, key and events.",
            ["SELECT 1 FROM …audience_… a WHERE a.device_id = ? AND (…)"]
        ),
        FanOut(
            "The attributes of a contact are in the audience rows of its devices.",
            [
                "SELECT 1 FROM audience_… WHERE contact_id = ? LIMIT ?",
                "UPDATE audience_… SET … WHERE contact_id = ?",
            ]
        ),
        FanOut(
            "An audience table is made anew, some devices at a time, and an attribute's columns are emptied.",
            [
                """
                SELECT … FROM (SELECT … FROM devices WHERE app_id = ? AND id BETWEEN ? AND ? ORDER BY id LIMIT ?) d
                LEFT JOIN contacts c ON c.id = d.contact_id …
                """,
                "SELECT device_id, … FROM audience_… WHERE device_id > ? AND … ORDER BY device_id LIMIT ?",
                "DELETE FROM audience_… WHERE device_id BETWEEN ? AND ?",
                "UPDATE audience_… SET … = NULL, … = NULL WHERE … IS NOT NULL",
                "UPDATE audience_… SET … = NULL WHERE contact_id BETWEEN ? AND ? AND (…)",
            ]
        ),
    ]
}
