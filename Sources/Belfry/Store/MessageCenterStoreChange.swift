import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import GRDB

/// A change of the stored message center messages.
enum MessageCenterStoreChange: Sendable {
    /// Removes all messages and rich contents, because the contact changed or the message center was turned off (MC-1,
    /// MC-12). Message states stay until the server has them. If the contact stays, the confirmations of rich contents
    /// are withdrawn; if the contact leaves, none are left to withdraw (MC-9).
    case purge(contactStays: Bool)
    /// The response to a fetch: from now on the device has these messages and no others.
    case replace([StoredMessageCenterMessage], fetchedAt: Date)
    /// A message that was fetched for a push. No center lists it, unless the next fetch says otherwise (MC-15).
    case keep(StoredMessageCenterMessage, fetchedAt: Date)
    /// The person read or deleted a message (MC-14).
    case setState(PendingMessageState)
    /// The server has the state, or will never accept it.
    case settle(PendingMessageState)
    /// Stores the key of a request for rich content before the request is sent (WIRE-11).
    case askRichContent(id: String, key: String, at: Date)
    /// Stores the content, and that it must be confirmed (MC-9).
    case keepRichContent(id: String, html: String, at: Date)
    /// Withdraws the confirmation of a content that the device does not have.
    case withdrawRichContent(id: String)
    /// The server has the report, or will never accept it.
    case settleReport(RichContentReport)
    /// Removes messages and rich contents that the retention or their expiry ended (MC-7).
    case dropOld(MessageCenterRetention)
}

/// A message as it is stored.
struct StoredMessageCenterMessage: Hashable, Sendable {
    let body: MessageCenterMessageBody
    let sentAt: Date
    let expiresAt: Date?
    /// The server's state merged with the state on this device.
    var state: MessageState
    /// The rich content, once it was fetched.
    var richHTML: String?

    var id: String { body.id }
    var center: String { body.center }
}

extension StoredMessageCenterMessage {
    /// - Returns: nil for an invalid message, which a Belfry server does not send: without an id or a name, or with
    ///   invalid dates.
    init?(_ body: MessageCenterMessageBody) {
        guard !body.id.isEmpty, body.id.utf8.count <= Self.maximumIDBytes, let sentAt = Timestamp.date(body.sentAt)
        else { return nil }
        var expiresAt: Date?
        if let text = body.expiresAt {
            guard let date = Timestamp.date(text) else { return nil }
            expiresAt = date
        }
        self.init(body: body, sentAt: sentAt, expiresAt: expiresAt, state: body.state)
    }

    /// The maximum length of an id in bytes.
    static let maximumIDBytes = 128
}

extension MessageCenterStoreChange {
    func apply(to db: Database) throws {
        switch self {
        case .purge(let contactStays): try Self.purge(contactStays: contactStays, in: db)
        case .replace(let messages, let fetchedAt): try Self.replace(messages, fetchedAt: fetchedAt, in: db)
        case .keep(let message, let fetchedAt):
            try Self.insert(message, place: 0, isListed: false, fetchedAt: fetchedAt, in: db)
        case .setState(let pending): try Self.put(pending, in: db)
        case .settle(let pending): try Self.settle(pending, in: db)
        case .askRichContent(let id, let key, let date):
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO rich_content (id, request_key, listed_at, expires_at)
                    VALUES (?1, ?2, ?3, (SELECT expires_at FROM center_message WHERE id = ?1))
                    """,
                arguments: [id, key, date.milliseconds]
            )
        case .keepRichContent(let id, let html, let date):
            try db.execute(
                sql: "UPDATE rich_content SET html = ?, listed_at = ? WHERE id = ?",
                arguments: [html, date.milliseconds, id]
            )
            try Self.report(RichContentReport(id: id, isStored: true), in: db)
        case .withdrawRichContent(let id): try Self.report(RichContentReport(id: id, isStored: false), in: db)
        case .settleReport(let report):
            try db.execute(
                sql: "DELETE FROM rich_report WHERE id = ? AND stored = ?", arguments: [report.id, report.isStored]
            )
        case .dropOld(let retention): try Self.dropOld(retention, in: db)
        }
    }

    private static func purge(contactStays: Bool, in db: Database) throws {
        if contactStays {
            try withdraw(listedUntil: .max, livingAt: .min, in: db)
        } else {
            try db.execute(sql: "DELETE FROM rich_report")
        }
        try db.execute(sql: "DELETE FROM center_message; DELETE FROM rich_content")
    }

    /// Withdraws the confirmations of contents that are about to be removed although their messages still exist, so
    /// that they can be fetched again.
    ///
    /// - Parameters:
    ///   - oldest: only messages that were last listed at this time or earlier.
    ///   - ended: only messages that had not expired at this time.
    private static func withdraw(listedUntil oldest: Int64, livingAt ended: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO rich_report (id, stored)
                SELECT id, 0 FROM rich_content
                WHERE html IS NOT NULL AND listed_at <= ? AND (expires_at IS NULL OR expires_at > ?)
                """,
            arguments: [oldest, ended]
        )
        try limitReports(in: db)
    }

    /// A later report about the same message replaces the former one, and waits as the newest.
    private static func report(_ report: RichContentReport, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO rich_report (id, stored) VALUES (?, ?)",
            arguments: [report.id, report.isStored]
        )
        try limitReports(in: db)
    }

    private static func limitReports(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM rich_report WHERE number <=
                    (SELECT number FROM rich_report ORDER BY number DESC LIMIT 1 OFFSET ?)
                """,
            arguments: [RichContentReports.maximumPending]
        )
    }

    private static func insert(
        _ message: StoredMessageCenterMessage,
        place: Int,
        isListed: Bool = true,
        fetchedAt: Date,
        in db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO center_message (id, center, place, expires_at, fetched_at, state, body, listed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            message.id, message.center, place, message.expiresAt?.milliseconds, fetchedAt.milliseconds,
            message.state.rawValue, try JSONEncoder().encode(message.body), isListed,
        ])
    }

    private static func replace(_ messages: [StoredMessageCenterMessage], fetchedAt: Date, in db: Database) throws {
        try db.execute(sql: "DELETE FROM center_message WHERE listed")
        let moment = fetchedAt.milliseconds
        for (place, message) in messages.enumerated() {
            try insert(message, place: place, fetchedAt: fetchedAt, in: db)
        }
        try db.execute(
            sql: """
                UPDATE rich_content SET listed_at = ?,
                    expires_at = (SELECT m.expires_at FROM center_message m WHERE m.id = rich_content.id)
                WHERE id IN (SELECT id FROM center_message)
                """,
            arguments: [moment]
        )
    }

    /// A later state of the same message replaces the former one, and waits as the newest.
    private static func put(_ pending: PendingMessageState, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO message_state (id, owner, state) VALUES (?, ?, ?)",
            arguments: [pending.id, pending.owner, pending.state.rawValue]
        )
        try db.execute(
            sql: """
                DELETE FROM message_state WHERE number <=
                    (SELECT number FROM message_state ORDER BY number DESC LIMIT 1 OFFSET ?)
                """,
            arguments: [MessageStateMerge.maximumPending]
        )
        guard pending.state == .deleted else { return }
        try db.execute(sql: "DELETE FROM rich_content WHERE id = ?", arguments: [pending.id])
    }

    /// Processes the server's response to a state. If the person has changed the state since then, the newer one still
    /// waits. Until the next fetch the message keeps the person's state, whether or not the server accepted it: a
    /// deleted message does not come back.
    private static func settle(_ pending: PendingMessageState, in db: Database) throws {
        try db.execute(
            sql: "DELETE FROM message_state WHERE id = ? AND state = ?",
            arguments: [pending.id, pending.state.rawValue]
        )
        let lower = MessageState.allCases.filter { $0 < pending.state }
        for state in lower {
            try db.execute(
                sql: "UPDATE center_message SET state = ? WHERE id = ? AND state = ?",
                arguments: [pending.state.rawValue, pending.id, state.rawValue]
            )
        }
    }

    private static func dropOld(_ retention: MessageCenterRetention, in db: Database) throws {
        let now = retention.now.milliseconds
        let oldest = retention.oldestGone.milliseconds
        let ended = retention.serverTime.milliseconds
        try db.execute(
            sql: "DELETE FROM center_message WHERE expires_at <= ? OR fetched_at <= ?", arguments: [ended, oldest]
        )
        try withdraw(listedUntil: oldest, livingAt: ended, in: db)
        try db.execute(
            sql: "DELETE FROM rich_content WHERE expires_at <= ? OR listed_at <= ?", arguments: [ended, oldest])
        // A clock that was set back must not keep them longer.
        try db.execute(sql: "UPDATE center_message SET fetched_at = ?1 WHERE fetched_at > ?1", arguments: [now])
        try db.execute(sql: "UPDATE rich_content SET listed_at = ?1 WHERE listed_at > ?1", arguments: [now])
    }
}
