import BelfryModel
import BelfryStore

/// A person with a session, and what they may do.
package struct SignedInUser: Hashable, Sendable {
    package let id: Int64
    package let name: String
    package let displayName: String
    package let isOperator: Bool
    /// Whether they can sign in by one; people of a provider have none.
    package let hasPassword: Bool
    /// By the app's number.
    package let roles: [Int64: UserRole]
    package let session: Int64
    /// What forms carry, so that no other site can submit them: it goes with the session.
    package let formToken: String

    /// Their role in an app. An operator of the server is an admin in each.
    package func role(in app: AppRecord) -> UserRole? {
        isOperator ? .admin : roles[app.id]
    }

    package func require(_ right: UserRight, in app: AppRecord) throws(ServiceError) {
        guard let role = role(in: app) else {
            // Whoever has no role in it does not learn that it exists.
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

    /// As the audit log and the limits know the person.
    package func principal(in app: AppRecord?) -> AdminPrincipal {
        let scopes: Set<AdminScope> =
            isOperator ? Set(AdminScope.allCases) : app.flatMap { role(in: $0) }.map { [$0.scope] } ?? []
        return AdminPrincipal(name: Self.actor(name), app: app?.id, scopes: scopes, user: id)
    }

    /// Who acted, as the audit log names people.
    static func actor(_ name: String) -> String { "user:\(name)" }
}
