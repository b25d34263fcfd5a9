import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// `POST /api/v1/users` (CON-3).
package struct CreateUserRequest: Hashable, Sendable, Codable {
    package var name: String
    package var displayName: String?
    /// Absent: the user cannot sign in until a password is set.
    package var password: String?
    package var isOperator: Bool?
    /// The user's roles, by the app's code.
    package var roles: [String: UserRole]?

    package init(
        name: String, displayName: String? = nil, password: String?, isOperator: Bool, roles: [String: UserRole]
    ) {
        self.name = name
        self.displayName = displayName
        self.password = password
        self.isOperator = isOperator
        self.roles = roles
    }
}

extension CreateUserRequest: Described {
    static let schema: JSONSchema = .object(
        ["name": .userName],
        optional: [
            "displayName": .string(1...UserService.maximumDisplayNameLength).described(
                "As pages show it; absent: the name."),
            "password": .password,
            "isOperator": .boolean.described(
                "Whether the person sees and changes what concerns the whole server, and is an admin in each app."),
            "roles": .map(of: .of(UserRole.self)).described("The person's roles, by the app's code."),
        ],
        isClosed: true
    )
}

extension UserRole: Described {
    static let schema: JSONSchema = .cases(of: UserRole.self).described(
        """
        `viewer` sees everything of the app; `marketer` also composes and launches campaigns; `approver` also approves \
        and stops campaigns of others; `admin` may do all of it, and changes settings, keys and people.
        """
    )
}

extension JSONSchema {
    fileprivate static let userName: JSONSchema = .string(1...UserName.maximumLength).described(
        "What the person signs in with, in any case: an e-mail address or a short name of `a-z 0-9 . _ - + @`.")
    fileprivate static let password: JSONSchema = .string(PasswordRule.lengths)
}

/// `PUT /api/v1/users/{user}/password`.
package struct SetPasswordRequest: Hashable, Sendable, Codable {
    package var password: String

    package init(password: String) {
        self.password = password
    }
}

extension SetPasswordRequest: Described {
    static let schema: JSONSchema = .object(["password": .password], isClosed: true)
}

/// `PUT /api/v1/apps/{app}/users/{user}`.
package struct SetUserRoleRequest: Hashable, Sendable, Codable {
    package var role: UserRole

    package init(role: UserRole) {
        self.role = role
    }
}

extension SetUserRoleRequest: Described {
    static let schema: JSONSchema = .object(["role": .of(UserRole.self)], isClosed: true)
}

/// `PUT /api/v1/users/{user}`. Absent members do not change.
package struct ChangeUserRequest: Hashable, Sendable, Codable {
    package var displayName: String?
    package var isOperator: Bool?
    package var isDisabled: Bool?

    package init(displayName: String? = nil, isOperator: Bool? = nil, isDisabled: Bool? = nil) {
        self.displayName = displayName
        self.isOperator = isOperator
        self.isDisabled = isDisabled
    }
}

extension ChangeUserRequest: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "displayName": .string(1...UserService.maximumDisplayNameLength), "isOperator": .boolean,
            "isDisabled": .boolean.described("Whether the person cannot sign in."),
        ],
        isClosed: true
    )
}

/// `GET /api/v1/users/{user}/sessions`.
package struct UserSessionListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        /// The id by which `DELETE` names the session.
        package var id: String
        /// The browser's name for itself.
        package var agent: String
        package var createdAt: String
        package var seenAt: String
        package var expiresAt: String
    }

    package var sessions: [Entry]

    package init(sessions: [Entry]) {
        self.sessions = sessions
    }
}

extension UserSessionListResponse {
    init(_ sessions: [UserSession]) {
        self.init(
            sessions: sessions.map { session in
                Entry(
                    id: String(session.id), agent: session.agent, createdAt: Timestamp.text(session.createdAt),
                    seenAt: Timestamp.text(session.seenAt), expiresAt: Timestamp.text(session.expiresAt)
                )
            }
        )
    }
}

extension UserSessionListResponse: Described {
    static let schema: JSONSchema = .object([
        "sessions": .list(
            of: .object([
                "id": .string(), "agent": .string().described("The browser's name for itself."),
                "createdAt": .of(Timestamp.self), "seenAt": .of(Timestamp.self), "expiresAt": .of(Timestamp.self),
            ])
        )
    ])
}

/// A person who may sign in.
package struct UserResponse: Hashable, Sendable, Codable {
    package var name: String
    package var displayName: String
    package var isOperator: Bool
    /// Whether the person may not sign in.
    package var isDisabled: Bool
    /// Whether a password is set.
    package var hasPassword: Bool
    package var roles: [String: UserRole]
    package var createdAt: String
}

extension UserResponse: Described {
    static let schema: JSONSchema = .object([
        "name": .string(), "displayName": .string(), "isOperator": .boolean,
        "isDisabled": .boolean.described("Whether the person cannot sign in."), "hasPassword": .boolean,
        "roles": .map(of: .of(UserRole.self)), "createdAt": .of(Timestamp.self),
    ])
}

/// `GET /api/v1/users`, in order of creation.
package struct UserListResponse: Hashable, Sendable, Codable {
    package var users: [UserResponse]
    package var cursor: String?

    package init(users: [UserResponse], cursor: String? = nil) {
        self.users = users
        self.cursor = cursor
    }
}

extension UserListResponse: Described {
    static let schema: JSONSchema = .object(
        ["users": .list(of: .of(UserResponse.self))], optional: ["cursor": .cursor]
    )
}
