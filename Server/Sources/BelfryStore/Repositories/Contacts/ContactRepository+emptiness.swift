import Foundation

/// Anonymous contacts that nothing is known of and nothing refers to: whoever makes them without end must not fill the
/// store (SEC-9).
extension ContactRepository {
    /// Events of a device that are looked through for one of the contact's. A device may have any number; a contact that it
    /// has left stays if it has more, since every upkeep would go through all of them in the writer's time (SEC-8).
    package static let maximumEvents = 10_000

    private static let mayHaveEvent: SQLText = """
        EXISTS (SELECT 1 FROM former_devices f WHERE f.app_id = c.app_id AND f.contact_id = c.id
            AND (EXISTS (SELECT 1 FROM events e WHERE e.device_id = f.device_id
                    ORDER BY e.event_id LIMIT 1 OFFSET \(maximumEvents))
                OR EXISTS (SELECT 1 FROM (SELECT e.contact_id FROM events e WHERE e.device_id = f.device_id
                    ORDER BY e.event_id LIMIT \(maximumEvents)) s WHERE s.contact_id = c.id)))
        """

    private static let isEmpty: SQLText = """
        c.known = 0 AND c.merged_into IS NULL AND c.attributes = '{}' AND c.party IS NULL AND \(hasNoDevice)
            AND NOT EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM center_messages m WHERE m.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM former_devices f JOIN in_app_copies i ON i.device_id = f.device_id
                WHERE f.app_id = c.app_id AND f.contact_id = c.id AND i.contact_id = c.id)
            AND NOT \(mayHaveEvent) AND NOT \(hasDelivery)
        """

    /// Removes the contact if it is one; returns whether it was.
    @discardableResult
    package func deleteIfEmpty(_ id: Int64, app: Int64) throws -> Bool {
        let isEmpty = try connection.first(
            "SELECT 1 FROM contacts c WHERE c.id = ? AND \(Self.isEmpty)", [.integer(id)]
        ) {
            $0.flag(0)
        }
        guard isEmpty == true else { return false }
        try delete(id, app: app)
        return true
    }

    /// Those among some contacts that have not changed since a moment, with their apps.
    package func empty(_ numbers: ClosedRange<Int64>, before moment: Date) throws -> [(id: Int64, app: Int64)] {
        try connection.query(
            """
            SELECT c.id, c.app_id FROM contacts c WHERE c.id BETWEEN ? AND ? AND c.updated_at < ? AND \(Self.isEmpty)
            """,
            [.integer(numbers.lowerBound), .integer(numbers.upperBound), .date(moment)]
        ) { (id: $0.integer(0), app: $0.integer(1)) }
    }
}
