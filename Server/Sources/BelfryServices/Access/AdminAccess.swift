import BelfryModel
import BelfryStore
import Crypto
import Foundation

/// What a bearer key allows (ADM-1).
package enum AdminScope: String, Hashable, Sendable, CaseIterable {
    case read
    case campaign
    case admin
}

/// Who uses the admin API.
package struct AdminPrincipal: Hashable, Sendable {
    /// As the audit log says it.
    package let name: String
    /// The only app that the key may touch; nil: every app.
    package let app: Int64?
    package let scopes: Set<AdminScope>
}

/// Checks bearer keys and writes the audit log; only hashes of keys are kept.
package struct AdminAccess: Sendable {
    package static let minimumKeyLength = 32

    let database: any SQLDatabase
    let environment: ServerEnvironment
    private let rootKeyHash: [UInt8]
    private let hashes: KnownNames<[UInt8]>

    /// - Parameters:
    ///   - rootKey: at least 32 characters.
    ///   - hashes: of the keys that there are; whoever makes a key here tells it.
    package init(
        rootKey: String, database: any SQLDatabase, environment: ServerEnvironment,
        hashes: KnownNames<[UInt8]> = KnownNames()
    ) {
        self.database = database
        self.environment = environment
        self.hashes = hashes
        rootKeyHash = Self.hash(rootKey)
    }

    package func principal(bearer: String?) async throws -> AdminPrincipal {
        guard let bearer, !bearer.isEmpty else {
            throw ServiceError.unauthorized(
                code: "unauthorized", message: "Send an admin key: 'Authorization: Bearer <key>'."
            )
        }
        let hash = Self.hash(bearer)
        if constantTimeEqual(hash, rootKeyHash) {
            return AdminPrincipal(name: "root", app: nil, scopes: Set(AdminScope.allCases))
        }
        guard let record = try await look(for: hash) else {
            throw ServiceError.unauthorized(code: "unauthorized", message: "The admin key is not known.")
        }
        return AdminPrincipal(
            name: "key-\(record.id)", app: record.app, scopes: Set(record.scopes.compactMap(AdminScope.init))
        )
    }

    private func look(for hash: [UInt8]) async throws -> AdminKeyRecord? {
        let now = environment.now()
        guard !hashes.refuse(hash, now: now) else { return nil }
        if let record = try await database.read({ try $0.adminKeys.find(hash: hash) }) { return record }
        if let ticket = hashes.miss(now: now) {
            let limit = KnownNames<[UInt8]>.maximumCount + 1
            hashes.keep(try await database.read { try $0.adminKeys.hashes(limit: limit) }, now: now, ticket: ticket)
        }
        return nil
    }

    package func audit(_ principal: AdminPrincipal, action: String, app: AppCode?, target: String?) async throws {
        let entry = AuditEntry(
            at: environment.now(), actor: principal.name, app: app?.rawValue, action: action, target: target
        )
        try await database.write { try $0.audit.append(entry) }
    }

    static func hash(_ key: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(key.utf8)))
    }
}

extension AdminPrincipal {
    package func require(_ scope: AdminScope) throws(ServiceError) {
        guard scopes.contains(scope) else {
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
