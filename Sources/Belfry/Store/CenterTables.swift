import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import GRDB

/// The message center messages of the last fetch, their rich contents, and what the person did with them.
extension DeviceStore {
    private static let kept = """
        (m.expires_at IS NULL OR m.expires_at > ?1) AND m.fetched_at > ?2 AND (m.listed OR ?4)
        """

    /// The messages of a center that the person may see, newest first. Messages beyond the retention are left out, even
    /// if they were not removed yet (MC-7).
    ///
    /// - Parameters:
    ///   - center: nil for all centers, one after the other.
    ///   - includesUnlisted: whether messages count that were fetched for a push and no center lists (MC-15).
    func centerMessages(
        in center: String?,
        _ retention: MessageCenterRetention,
        includesUnlisted: Bool = false
    ) throws(BelfryError) -> [StoredMessageCenterMessage] {
        let rows = try access { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT m.body, m.state, s.state, r.html FROM center_message m
                    LEFT JOIN message_state s ON s.id = m.id LEFT JOIN rich_content r ON r.id = m.id
                    WHERE \(Self.kept) AND (?3 IS NULL OR m.center = ?3) ORDER BY m.place
                    """,
                arguments: [
                    retention.serverTime.milliseconds, retention.oldestGone.milliseconds, center, includesUnlisted,
                ]
            )
        }
        return rows.compactMap(Self.message).filter { $0.state != .deleted }
    }

    private static func message(_ row: Row) -> StoredMessageCenterMessage? {
        let data: Data = row[0]
        guard let body = try? CheckedJSON.stored(MessageCenterMessageBody.self, data),
            var message = StoredMessageCenterMessage(body)
        else { return nil }
        message.state = shown(row[1], row[2])
        message.richHTML = row[3]
        return message
    }

    private static func shown(_ server: String, _ pending: String?) -> MessageState {
        MessageStateMerge.shown(
            server: MessageState(rawValue: server) ?? .unread,
            pending: pending.flatMap(MessageState.init(rawValue:))
        )
    }

    /// The states that the person sees, including deleted ones, by message.
    ///
    /// - Parameters:
    ///   - center: nil for all centers.
    ///   - includesUnlisted: whether messages count that no center lists.
    func messageStates(
        in center: String?,
        _ retention: MessageCenterRetention,
        includesUnlisted: Bool = false
    ) throws(BelfryError) -> [String: MessageState] {
        try access { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT m.id, m.state, s.state FROM center_message m LEFT JOIN message_state s ON s.id = m.id
                    WHERE \(Self.kept) AND (?3 IS NULL OR m.center = ?3)
                    """,
                arguments: [
                    retention.serverTime.milliseconds, retention.oldestGone.milliseconds, center, includesUnlisted,
                ]
            )
            return Dictionary(rows.map { ($0[0], Self.shown($0[1], $0[2])) }, uniquingKeysWith: { $1 })
        }
    }

    /// The oldest state that the server does not have yet.
    func nextPendingState() throws(BelfryError) -> PendingMessageState? {
        try access { db in
            let statement = try db.cachedStatement(
                sql: "SELECT id, state, owner FROM message_state ORDER BY number LIMIT 1"
            )
            return try Row.fetchOne(statement).map { row in
                PendingMessageState(id: row[0], state: MessageState(rawValue: row[1]) ?? .read, owner: row[2])
            }
        }
    }

    /// The number of states that wait, and the lowest number of an owner among them.
    func pendingStates() throws(BelfryError) -> (count: Int, lowestOwner: Int?) {
        try access { db in
            let row = try Row.fetchOne(db, sql: "SELECT COUNT(*), MIN(owner) FROM message_state")
            return (row?[0] ?? 0, row?[1])
        }
    }

    /// The oldest report about rich content that the server does not have yet.
    func nextReport() throws(BelfryError) -> RichContentReport? {
        try access { db in
            let statement = try db.cachedStatement(sql: "SELECT id, stored FROM rich_report ORDER BY number LIMIT 1")
            return try Row.fetchOne(statement).map { RichContentReport(id: $0[0], isStored: $0[1]) }
        }
    }

    /// The pending report about the rich content of a message.
    func report(of id: String) throws(BelfryError) -> RichContentReport? {
        try access { db in
            try Bool.fetchOne(db, sql: "SELECT stored FROM rich_report WHERE id = ?", arguments: [id])
                .map { RichContentReport(id: id, isStored: $0) }
        }
    }

    /// The stored rich content of a message, until the message expires: the key of its request, and the content if it
    /// was fetched.
    ///
    /// - Parameter now: by the server's clock.
    func richContent(of id: String, now: Date) throws(BelfryError) -> (key: String, html: String?)? {
        try access { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT request_key, html FROM rich_content WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)
                    """,
                arguments: [id, now.milliseconds]
            ).map { (key: $0[0], html: $0[1]) }
        }
    }

    /// The ids of all fetched messages, in any state.
    func centerMessageIDs() throws(BelfryError) -> Set<String> {
        try access { db in try String.fetchSet(db, sql: "SELECT id FROM center_message WHERE listed") }
    }

    /// The states that wait, by message.
    func pendingStatesByID() throws(BelfryError) -> [String: MessageState] {
        try access { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, state FROM message_state")
            return Dictionary(
                rows.map { ($0[0], MessageState(rawValue: $0[1]) ?? .read) }, uniquingKeysWith: { $1 }
            )
        }
    }

    /// When the next message expires, by the server's clock; nil when none does.
    func nextExpiry() throws(BelfryError) -> Date? {
        try access { db in
            let statement = try db.cachedStatement(sql: "SELECT MIN(expires_at) FROM center_message")
            return try Int64.fetchOne(statement).map { Date(milliseconds: $0) }
        }
    }

    /// The listed messages that were visible until now and that the retention or their expiry removes: id → center.
    func endedMessages(_ retention: MessageCenterRetention) throws(BelfryError) -> [String: String] {
        try access { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT m.id, m.center FROM center_message m LEFT JOIN message_state s ON s.id = m.id
                    WHERE (m.expires_at <= ? OR m.fetched_at <= ?) AND m.listed AND m.state <> 'deleted'
                        AND s.state IS NOT 'deleted'
                    """,
                arguments: [retention.serverTime.milliseconds, retention.oldestGone.milliseconds]
            )
            return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        }
    }

    /// Whether the retention removes something, or a clock that was set back must be recorded.
    func holdsOld(_ retention: MessageCenterRetention) throws(BelfryError) -> Bool {
        try access { db in
            // Prepared once, because it runs before each step of the loop.
            let statement = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM center_message
                        WHERE expires_at <= ?3 OR fetched_at <= ?2 OR fetched_at > ?1)
                    OR EXISTS (SELECT 1 FROM rich_content
                        WHERE expires_at <= ?3 OR listed_at <= ?2 OR listed_at > ?1)
                    """
            )
            return try Bool.fetchOne(
                statement,
                arguments: [
                    retention.now.milliseconds, retention.oldestGone.milliseconds, retention.serverTime.milliseconds,
                ]
            ) ?? false
        }
    }
}
