import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The keys of an app for the admin API (ADM-6): each has a scope, a label and an expiry. A key is looked up at each
/// call, so a revocation takes effect immediately in every process.
package struct AdminKeyService: Sendable {
    /// The key record, for the layers above.
    package typealias Key = AdminKeyRecord

    /// The highest number of keys of one app that are not revoked.
    package static let maximumKeys = 1_000
    /// The longest label, in characters.
    package static let maximumLabelLength = 100

    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    let hashes: KnownNames<[UInt8]>

    /// - Parameter hashes: the list of known hashes that ``AdminAccess`` uses. It is discarded when a key is made.
    package init(
        database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment,
        hashes: KnownNames<[UInt8]> = KnownNames()
    ) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.hashes = hashes
    }

    /// Makes a key. Its secret is returned only here.
    package func create(
        scope: AdminScope, label: String?, expiresAt: Date?, app: AppRecord
    ) async throws -> (key: AdminKeyRecord, secret: String) {
        let wish = try Wish(scope: scope, label: label, expiresAt: expiresAt, now: environment.now())
        let secret = Self.secret(environment)
        let key = try await database.write { connection in
            try wish.make(AdminAccess.hash(secret), app: app.id, in: connection)
        }
        hashes.change()
        return (key, secret)
    }

    /// Lists the keys, newest first, with revoked and expired ones.
    ///
    /// - Parameter cursor: the list continues before this number.
    package func list(
        app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> (keys: [AdminKeyRecord], next: Int64?) {
        let found = try await database.read {
            try $0.adminKeys.list(app: app.id, before: cursor, limit: limit + 1)
        }
        let (shown, next) = found.cut(to: limit) { $0.id }
        return (shown, next)
    }

    /// Revokes a key for good. A repeated call changes nothing.
    ///
    /// - Parameter name: the key's name in the list and the audit log.
    package func revoke(_ name: String, app: AppRecord) async throws {
        let now = environment.now()
        try await database.write { connection in
            guard let id = AdminKeyRecord.number(of: name),
                let key = try connection.adminKeys.find(id: id, app: app.id)
            else { throw ServiceError.notFound(what: "adminKey", id: String(name.prefix(64))) }
            try connection.adminKeys.revoke(key.id, now: now)
        }
    }

    /// A new secret: 256 bits, with a prefix by which scanners for leaked keys recognize it.
    static func secret(_ environment: ServerEnvironment) -> String {
        secret(of: environment.randomBytes(32))
    }

    static func secret(of bytes: [UInt8]) -> String {
        "bk_" + Base64URL.encode(bytes)
    }
}

extension AdminKeyService {
    /// The scope, label and expiry of a key that is to be made.
    struct Wish: Sendable {
        let scope: AdminScope
        let label: String?
        let expiresAt: Date?
        let now: Date

        init(scope: AdminScope, label: String?, expiresAt: Date?, now: Date) throws(ServiceError) {
            self.scope = scope
            self.label = label?.trimmingCharacters(in: .whitespacesAndNewlines)
            self.expiresAt = expiresAt
            self.now = now
            try reject()
        }

        private func reject() throws(ServiceError) {
            var errors: [FieldError] = []
            let most = AdminKeyService.maximumLabelLength
            if let label, !label.isNamed(within: most) {
                let message = """
                    A label has 1 to \(most) characters, at most \(NamingRule.maximumBytes) bytes, and no \
                    null character.
                    """
                errors.append(FieldError(field: "label", error: ValueError(code: "invalidLength", message: message)))
            }
            if let expiresAt, expiresAt <= now {
                let error = ValueError(code: "outOfRange", message: "A key expires in the future.")
                errors.append(FieldError(field: "expiresAt", error: error))
            }
            try ServiceError.reject(errors)
        }

        /// Stores the key.
        ///
        /// - Parameter hash: the hash of the key's secret.
        func make(_ hash: [UInt8], app: Int64, in connection: any SQLConnection) throws -> AdminKeyRecord {
            let most = AdminKeyService.maximumKeys
            guard try connection.adminKeys.count(app: app, limit: most) < most else {
                throw ServiceError.conflict(message: "An app has at most \(most) keys. Revoke one that nobody uses.")
            }
            let id = try connection.adminKeys.insert(
                hash: hash, app: app, scopes: [scope.rawValue], label: label, expiresAt: expiresAt, now: now
            )
            guard let key = try connection.adminKeys.find(id: id, app: app) else {
                throw StoreError.corrupted(table: "admin_keys", key: String(id))
            }
            return key
        }
    }
}

extension AdminKeyRecord {
    private static let namePrefix = "key-"

    /// The key's name in the audit log and the list.
    package var name: String { "\(Self.namePrefix)\(id)" }

    static func number(of name: String) -> Int64? {
        guard name.hasPrefix(namePrefix) else { return nil }
        return WholeNumber.read(name.dropFirst(namePrefix.count))
    }

    /// The widest scope of the key, which includes the others. Nil when it has none.
    package var scope: AdminScope? {
        let scopes = scopes.compactMap(AdminScope.init)
        return scopes.first { scope in scopes.allSatisfy(scope.includes) }
    }
}
