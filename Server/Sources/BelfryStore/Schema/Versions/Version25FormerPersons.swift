import BelfryModel

/// Data about former contacts: the recipient tag that a device expects after an operator has merged its contact into
/// another (ADM-5, ID-4), and the contact to which each registration was applied (REG-25). Party identifiers that are
/// former keys are found by their parts (ID-9).
enum Version25FormerPersons {
    static let migration = Migration(version: 25, fill: fillFormerParties) { _ in
        [
            "ALTER TABLE devices ADD COLUMN tag_contact_id BIGINT",
            "ALTER TABLE devices ADD COLUMN tag_generation BIGINT",
            "ALTER TABLE registrations ADD COLUMN contact_id BIGINT",
            "ALTER TABLE registrations ADD COLUMN accepted TEXT",
            """
            CREATE INDEX registrations_by_contact ON registrations (contact_id, device_id, revision)
            WHERE contact_id IS NOT NULL
            """,
        ]
    }

    private static let page = 1_000

    /// Merges have cleared the columns, and renames have never filled them, but the keys still contain the values.
    @Sendable private static func fillFormerParties(_ connection: any SQLConnection) throws {
        for app in try connection.query("SELECT id FROM apps ORDER BY id", [], { $0.integer(0) }) {
            var position = ContactKey.partyPrefix
            while true {
                let rows = try connection.query(
                    """
                    SELECT id, contact_key FROM contacts
                    WHERE app_id = ? AND contact_key > ? AND contact_key < ? AND merged_into IS NOT NULL
                    ORDER BY contact_key LIMIT ?
                    """,
                    [
                        .integer(app), .text(position), .text(ContactKey.partyPrefix + "\u{10FFFF}"), .integer(page),
                    ]
                ) { (id: $0.integer(0), key: $0.text(1)) }
                for row in rows {
                    try connection.execute(
                        "UPDATE contacts SET party_type = ?, party_name = ?, party_number = ? WHERE id = ?",
                        ContactRow.values(of: PartyIdentifier(contactKey: row.key)) + [.integer(row.id)]
                    )
                }
                guard rows.count == page, let last = rows.last else { break }
                position = last.key
            }
        }
    }
}
