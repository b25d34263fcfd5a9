import BelfryServerModel
import BelfryStore

/// The scope of a bearer key: what it allows (ADM-1).
package enum AdminScope: String, Hashable, Sendable, Codable, CaseIterable {
    case read
    case campaign
    case admin

    /// Whether a key with this scope may do what needs the other scope. Each scope includes the narrower ones before
    /// it.
    package func includes(_ other: AdminScope) -> Bool {
        switch self {
        case .read: other == .read
        case .campaign: other != .admin
        case .admin: true
        }
    }
}

/// The user of the admin API: a key, or a person who has signed in.
package struct AdminPrincipal: Hashable, Sendable {
    /// The name in the audit log.
    package let name: String
    /// The only app that the key may access. Nil: every app.
    package let app: Int64?
    package let scopes: Set<AdminScope>
    /// The number of the person who has signed in. Nil for a key.
    package var user: Int64?

    /// The author that versions, comments and approvals of campaigns name (CON-5).
    package var author: Author { user.map(Author.user) ?? .key(name) }
}

extension AdminPrincipal {
    package func require(_ scope: AdminScope) throws(ServiceError) {
        guard scopes.contains(where: { $0.includes(scope) }) else {
            throw .forbidden(code: "forbidden", message: "This key lacks the scope '\(scope.rawValue)'.")
        }
    }

    package func require(_ scope: AdminScope, app: AppRecord) throws(ServiceError) {
        try require(scope)
        guard self.app == nil || self.app == app.id else {
            throw .forbidden(code: "forbidden", message: "This key belongs to another app.")
        }
    }
}
