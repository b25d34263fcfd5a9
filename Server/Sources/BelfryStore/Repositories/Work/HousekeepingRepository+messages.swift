import Foundation

/// Finds and deletes messages that are no longer visible. Messages are ordered by contact, so the walk over them needs
/// no index of its own, which would cost each new message something.
extension HousekeepingRepository {
    /// Whether some contacts have messages to delete: expired before a moment, or deleted by the contact before it. A
    /// message stays while its campaign runs; otherwise another device of the contact would get it again.
    package func haveOutlivedMessages(_ contacts: ClosedRange<Int64>, before moment: Date) throws -> Bool {
        let (sql, arguments) = Self.outlived(contacts, before: moment)
        return try connection.first("SELECT 1 FROM center_messages m WHERE \(sql) LIMIT 1", arguments) {
            $0.integer(0)
        } != nil
    }

    /// Deletes some of these messages, as many as there is room for: each may have long texts of its own (SEC-2).
    ///
    /// - Returns: how many were deleted, and whether those were all.
    package func deleteMessages(
        of contacts: ClosedRange<Int64>, before moment: Date, limit: Int
    ) throws -> (count: Int, areAll: Bool) {
        let (sql, arguments) = Self.outlived(contacts, before: moment)
        var room = ByteRoom(MoveRoom.maximumBytes)
        let keys = try connection.query(
            "SELECT m.contact_id, m.campaign_id, m.body, m.rich_html FROM center_messages m WHERE \(sql) LIMIT ?",
            arguments + [.integer(limit)], texts: [2, 3], in: &room
        ) { [SQLValue.integer($0.integer(0)), .integer($0.integer(1))] }
        let count = try connection.executeEach(
            "DELETE FROM center_messages WHERE contact_id = ? AND campaign_id = ?", keys
        )
        return (count, !room.isCut && keys.count < limit)
    }

    /// Whether some contacts have confirmations of rich content whose message no longer exists.
    package func haveOutlivedConfirmations(_ contacts: ClosedRange<Int64>) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM rich_confirmations r WHERE \(Self.withoutMessage) LIMIT 1", Self.arguments(contacts)
        ) { $0.integer(0) } != nil
    }

    /// Deletes some of these confirmations; returns how many.
    package func deleteConfirmations(of contacts: ClosedRange<Int64>, limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM rich_confirmations WHERE (contact_id, campaign_id, device_id) IN (
                SELECT r.contact_id, r.campaign_id, r.device_id FROM rich_confirmations r
                WHERE \(Self.withoutMessage) LIMIT ?)
            """,
            Self.arguments(contacts) + [.integer(limit)]
        )
    }

    private static func outlived(
        _ contacts: ClosedRange<Int64>, before moment: Date
    ) -> (sql: SQLText, arguments: [SQLValue]) {
        (
            """
            m.contact_id BETWEEN ? AND ? AND (m.expires_at < ? OR (m.state = 'deleted' AND m.state_at < ?))
                AND NOT EXISTS (SELECT 1 FROM campaigns c WHERE c.id = m.campaign_id AND c.ended_at IS NULL)
            """,
            arguments(contacts) + [.date(moment), .date(moment)]
        )
    }

    private static let withoutMessage: SQLText = """
        r.contact_id BETWEEN ? AND ? AND NOT EXISTS (
            SELECT 1 FROM center_messages m WHERE m.contact_id = r.contact_id AND m.campaign_id = r.campaign_id)
        """

    private static func arguments(_ contacts: ClosedRange<Int64>) -> [SQLValue] {
        [.integer(contacts.lowerBound), .integer(contacts.upperBound)]
    }
}
