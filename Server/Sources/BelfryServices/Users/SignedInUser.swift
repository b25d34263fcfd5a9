import BelfryModel
import BelfryStore

/// A person with a session, and their rights.
package struct SignedInUser: Hashable, Sendable {
    package let id: Int64
    package let name: String
    package let displayName: String
    package let isOperator: Bool
    /// Whether the person has a password. People of a provider have none.
    package let hasPassword: Bool
    /// The person's roles, by the app's number.
    package let roles: [Int64: UserRole]
    package let session: Int64
    /// The token that forms carry, so that no other site can submit them. It belongs to the session.
    package let formToken: String

    /// The person's role in an app. An operator of the server is an admin in every app.
    package func role(in app: AppRecord) -> UserRole? {
        isOperator ? .admin : roles[app.id]
    }

    package func require(_ right: UserRight, in app: AppRecord) throws(ServiceError) {
        guard let role = role(in: app) else {
            // A person without a role does not learn that the app exists.
            throw .unknownApp(app.code.rawValue)
        }
        guard role.allows(right) else {
            throw .forbidden(
                code: "forbidden",
                message:
                    "Your role in \(app.name) is \(role.rawValue). Ask an admin of the app for the right to do this."
            )
        }
    }

    package func requireOperator() throws(ServiceError) {
        guard isOperator else {
            throw .forbidden(code: "forbidden", message: "Only operators of the server may see and change this.")
        }
    }

    /// The person as the audit log and the limits name them.
    package func principal(in app: AppRecord?) -> AdminPrincipal {
        let scopes: Set<AdminScope> =
            isOperator ? Set(AdminScope.allCases) : app.flatMap { role(in: $0) }.map { [$0.scope] } ?? []
        return AdminPrincipal(name: Self.actor(name), app: app?.id, scopes: scopes, user: id)
    }

    /// The author's name in the audit log.
    static func actor(_ name: String) -> String { "user:\(name)" }
}
