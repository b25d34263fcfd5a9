import BelfryServerModel
import BelfryStore

/// What a bearer key allows (ADM-1).
package enum AdminScope: String, Hashable, Sendable, Codable, CaseIterable {
    case read
    case campaign
    case admin

    /// Whether a key with this scope may do what that one is asked for: each includes the narrower ones before it.
    package func includes(_ other: AdminScope) -> Bool {
        switch self {
        case .read: other == .read
        case .campaign: other != .admin
        case .admin: true
        }
    }
}

/// Who uses the admin API.
package struct AdminPrincipal: Hashable, Sendable {
    /// As the audit log says it.
    package let name: String
    /// The only app that the key may touch; nil: every app.
    package let app: Int64?
    package let scopes: Set<AdminScope>
    /// The person, by number, if it is one who has signed in; nil for a key.
    package var user: Int64?

    /// As versions, comments and approvals of campaigns name them (CON-5).
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
