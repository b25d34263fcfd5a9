import Foundation

/// A user of the console (CON-3).
package struct UserRow: Hashable, Sendable {
    package let id: Int64
    /// The name with which they sign in, in lower case.
    package let name: String
    package var displayName: String
    /// The hash as written by ``PasswordHash``; nil for users of an OpenID provider, and until a first password is set.
    package var password: String?
    /// The OpenID Connect provider (`iss`) and the user's id there (`sub`).
    package let issuer: String?
    package let subject: String?
    /// Whether the user may see and change the settings of the whole server.
    package var isOperator: Bool
    package var isDisabled: Bool
    package let createdAt: Date
}

extension UserRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, name, displayName, password, issuer, subject, isOperator, isDisabled, createdAt

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .name: "name"
            case .displayName: "display_name"
            case .password: "password"
            case .issuer: "issuer"
            case .subject: "subject"
            case .isOperator: "is_operator"
            case .isDisabled: "is_disabled"
            case .createdAt: "created_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: row.integer(.id), name: row.text(.name), displayName: row.text(.displayName),
            password: row.optionalText(.password), issuer: row.optionalText(.issuer),
            subject: row.optionalText(.subject), isOperator: row.flag(.isOperator), isDisabled: row.flag(.isDisabled),
            createdAt: row.date(.createdAt)
        )
    }
}

/// The role of a user in one app, as stored.
package struct UserRoleRow: Hashable, Sendable {
    package let user: Int64
    package let app: Int64
    package let role: String
}

package struct UserRepository {
    let connection: any SQLConnection

    /// - Throws: ``StoreError/duplicate`` when the name, or the subject at the issuer, is taken.
    package func insert(
        name: String, displayName: String, password: String?, issuer: String? = nil, subject: String? = nil,
        isOperator: Bool, now: Date
    ) throws -> Int64 {
        let ids = try connection.query(
            """
            INSERT INTO users (name, display_name, password, issuer, subject, is_operator, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(name), .text(displayName), .optional(password), .optional(issuer), .optional(subject),
                .integer(isOperator ? 1 : 0), .date(now),
            ]
        ) { $0.integer(0) }
        guard let id = ids.first else { throw StoreError.duplicate(key: name) }
        return id
    }

    package func find(name: String) throws -> UserRow? {
        try connection.first("SELECT \(UserRow.columns) FROM users WHERE name = ?", [.text(name)], UserRow.init)
    }

    package func find(id: Int64) throws -> UserRow? {
        try connection.first("SELECT \(UserRow.columns) FROM users WHERE id = ?", [.integer(id)], UserRow.init)
    }

    package func find(issuer: String, subject: String) throws -> UserRow? {
        try connection.first(
            "SELECT \(UserRow.columns) FROM users WHERE issuer = ? AND subject = ?", [.text(issuer), .text(subject)],
            UserRow.init
        )
    }

    /// How many users of a provider have no role in any app and are not operators.
    package func countWithoutRole(issuer: String) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM users WHERE issuer = ? AND subject IS NOT NULL AND is_operator = 0
            AND NOT EXISTS (SELECT 1 FROM user_roles WHERE user_roles.user_id = users.id)
            """,
            [.text(issuer)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// The users after a number, ordered by number.
    package func list(after cursor: Int64?, limit: Int) throws -> [UserRow] {
        try connection.query(
            "SELECT \(UserRow.columns) FROM users WHERE id > ? ORDER BY id LIMIT ?",
            [.integer(cursor ?? 0), .integer(limit)], UserRow.init
        )
    }

    /// Saves the values of a user that can change.
    package func save(_ user: UserRow) throws {
        try connection.execute(
            "UPDATE users SET display_name = ?, password = ?, is_operator = ?, is_disabled = ? WHERE id = ?",
            [
                .text(user.displayName), .optional(user.password), .integer(user.isOperator ? 1 : 0),
                .integer(user.isDisabled ? 1 : 0), .integer(user.id),
            ]
        )
    }

    /// Deletes a user, their roles, and their comments on campaigns.
    package func delete(_ user: Int64) throws {
        try connection.campaignComments.deleteAll(of: user)
        try connection.execute("DELETE FROM user_roles WHERE user_id = ?", [.integer(user)])
        try connection.execute("DELETE FROM users WHERE id = ?", [.integer(user)])
    }

    package func roles(of user: Int64) throws -> [UserRoleRow] {
        try connection.query(
            "SELECT user_id, app_id, role FROM user_roles WHERE user_id = ? ORDER BY app_id", [.integer(user)]
        ) { UserRoleRow(user: $0.integer(0), app: $0.integer(1), role: $0.text(2)) }
    }

    /// The roles in one app, ordered by user number.
    package func roles(app: Int64, after cursor: Int64?, limit: Int) throws -> [UserRoleRow] {
        try connection.query(
            Self.rolesSQL(connection.dialect), [.integer(app), .integer(cursor ?? 0), .integer(limit)]
        ) { UserRoleRow(user: $0.integer(0), app: $0.integer(1), role: $0.text(2)) }
    }

    /// Its arguments are the app, the cursor and the limit.
    package static func rolesSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT user_id, app_id, role FROM user_roles WHERE \(dialect.isArgument("app_id")) AND user_id > ?
        ORDER BY app_id, user_id LIMIT ?
        """
    }

    /// - Parameter role: the new role; nil removes the user's role.
    package func setRole(_ role: String?, of user: Int64, app: Int64) throws {
        guard let role else {
            try connection.execute(
                "DELETE FROM user_roles WHERE user_id = ? AND app_id = ?", [.integer(user), .integer(app)]
            )
            return
        }
        try connection.execute(
            """
            INSERT INTO user_roles (user_id, app_id, role) VALUES (?, ?, ?)
            ON CONFLICT (user_id, app_id) DO UPDATE SET role = excluded.role
            """,
            [.integer(user), .integer(app), .text(role)]
        )
    }
}

extension SQLConnection {
    package var users: UserRepository { UserRepository(connection: self) }
}
