import Foundation

/// Anonymous contacts that nothing is known of and nothing refers to: whoever makes them without end must not fill the
/// store (SEC-9).
extension ContactRepository {
    private static func isEmpty(_ dialect: any Dialect) -> SQLText {
        """
        c.known = 0 AND c.merged_into IS NULL AND c.attributes = '{}' AND c.party IS NULL AND \(hasNoDevice)
            AND NOT EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM center_messages m WHERE m.contact_id = c.id)
            AND NOT (CASE WHEN \(hasHistory(dialect)) THEN 1 WHEN EXISTS (
                SELECT 1 FROM former_devices f JOIN in_app_copies i ON i.device_id = f.device_id
                WHERE f.app_id = c.app_id AND f.contact_id = c.id AND i.contact_id = c.id) THEN 1 ELSE 0 END = 1)
        """
    }

    /// Removes the contact if it is one; returns whether it was.
    @discardableResult
    package func deleteIfEmpty(_ id: Int64, app: Int64) throws -> Bool {
        let isEmpty = try connection.first(
            "SELECT 1 FROM contacts c WHERE c.id = ? AND \(Self.isEmpty(connection.dialect))", [.integer(id)]
        ) {
            $0.flag(0)
        }
        guard isEmpty == true else { return false }
        try delete(id, app: app)
        return true
    }

    /// Those among some contacts that have not changed since a moment, with their apps. How many they can be is said, so
    /// that an engine that plans the statement once does not read whole what it asks of each.
    package func empty(_ numbers: ClosedRange<Int64>, before moment: Date) throws -> [(id: Int64, app: Int64)] {
        try connection.query(
            """
            SELECT c.id, c.app_id FROM (
                SELECT id, app_id, known, merged_into, attributes, party, updated_at FROM contacts
                WHERE id BETWEEN ? AND ? ORDER BY id LIMIT \(numbers.count)
            ) c WHERE c.updated_at < ? AND \(Self.isEmpty(connection.dialect))
            """,
            [.integer(numbers.lowerBound), .integer(numbers.upperBound), .date(moment)]
        ) { (id: $0.integer(0), app: $0.integer(1)) }
    }
}
