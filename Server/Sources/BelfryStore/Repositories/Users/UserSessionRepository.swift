import Foundation

/// A session of a user in a browser.
package struct UserSessionRow: Hashable, Sendable {
    package let id: Int64
    package let user: Int64
    package let createdAt: Date
    package let seenAt: Date
    package let expiresAt: Date
    /// The browser's name for itself.
    package let agent: String
}

extension UserSessionRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, user, createdAt, seenAt, expiresAt, agent

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .user: "user_id"
            case .createdAt: "created_at"
            case .seenAt: "seen_at"
            case .expiresAt: "expires_at"
            case .agent: "agent"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), user: row.integer(.user), createdAt: row.date(.createdAt), seenAt: row.date(.seenAt),
            expiresAt: row.date(.expiresAt), agent: row.text(.agent)
        )
    }
}

package struct UserSessionRepository {
    let connection: any SQLConnection

    package func insert(hash: [UInt8], user: Int64, agent: String, now: Date, expires: Date) throws {
        try connection.execute(
            """
            INSERT INTO user_sessions (token_hash, user_id, created_at, seen_at, expires_at, agent)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [.blob(hash), .integer(user), .date(now), .date(now), .date(expires), .text(agent)]
        )
    }

    package func find(hash: [UInt8]) throws -> UserSessionRow? {
        try connection.first(
            "SELECT \(UserSessionRow.columns) FROM user_sessions WHERE token_hash = ?", [.blob(hash)],
            UserSessionRow.init
        )
    }

    /// The sessions of a user, newest first.
    package func list(user: Int64, limit: Int) throws -> [UserSessionRow] {
        try connection.query(
            "SELECT \(UserSessionRow.columns) FROM user_sessions WHERE user_id = ? ORDER BY id DESC LIMIT ?",
            [.integer(user), .integer(limit)], UserSessionRow.init
        )
    }

    package func see(_ session: Int64, now: Date) throws {
        try connection.execute(
            "UPDATE user_sessions SET seen_at = ? WHERE id = ?", [.date(now), .integer(session)]
        )
    }

    package func delete(_ session: Int64, of user: Int64) throws {
        try connection.execute(
            "DELETE FROM user_sessions WHERE id = ? AND user_id = ?", [.integer(session), .integer(user)]
        )
    }

    /// Ends all sessions of a user.
    package func deleteAll(of user: Int64) throws {
        try connection.execute("DELETE FROM user_sessions WHERE user_id = ?", [.integer(user)])
    }

    /// Ends all but the newest sessions of a user.
    package func deleteOldest(of user: Int64, keeping count: Int) throws {
        try connection.execute(
            """
            DELETE FROM user_sessions WHERE id IN (
                SELECT id FROM user_sessions WHERE user_id = ? ORDER BY id DESC LIMIT ? OFFSET ?)
            """,
            [.integer(user), .integer(Int64(Int32.max)), .integer(count)]
        )
    }

    package func deleteExpired(now: Date) throws {
        try connection.execute("DELETE FROM user_sessions WHERE expires_at < ?", [.date(now)])
    }
}

extension SQLConnection {
    package var userSessions: UserSessionRepository { UserSessionRepository(connection: self) }
}
