import BelfryModel

extension ContactRepository {
    /// The contact that a party identifier names: a known one before an anonymous one, else the oldest (ID-9).
    package func find(app: Int64, party: PartyIdentifier) throws -> ContactRow? {
        let text = try JSONText.encode(party)
        return try connection.first(Self.findByPartySQL, [.integer(app), .text(text), .text(text)], read)
    }

    /// The app and, twice, the party identifier as JSON are its arguments.
    package static let findByPartySQL = """
        SELECT \(columns) FROM contacts
        WHERE app_id = ? AND \(partyBeginning("party")) = \(partyBeginning("CAST(? AS TEXT)")) AND party = ?
            AND merged_into IS NULL
        ORDER BY known DESC, id LIMIT 1
        """

    static func partyBeginning(_ text: String) -> String { "substr(\(text), 1, 200)" }
}
