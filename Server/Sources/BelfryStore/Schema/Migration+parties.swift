extension Migration {
    /// Finds the contact that a party identifier names (ID-9). Of a long one its beginning: PostgreSQL's index entries are
    /// bounded.
    static let parties = Migration(version: 9) { _ in
        [
            """
            CREATE INDEX contacts_by_party ON contacts (app_id, \(ContactRepository.partyBeginning("party")))
            WHERE party IS NOT NULL
            """
        ]
    }
}
