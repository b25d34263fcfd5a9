import BelfryModel
import BelfryStore
import Crypto
import Foundation

extension AdminKeyService {
    /// Makes a key by a form that may be submitted twice. The secret is derived from the form's key, so a repeated form
    /// finds its key by the hash of the secret. Nothing else of the secret is stored.
    ///
    /// - Returns: the key, and its secret if this call has made it. A repeated form gets no secret: a secret is shown
    ///   once.
    package func create(
        scope: AdminScope, label: String?, expiresAt: Date?, once form: FormKey, app: AppRecord
    ) async throws -> (key: AdminKeyRecord, secret: String?) {
        let wish = try Wish(scope: scope, label: label, expiresAt: expiresAt, now: environment.now())
        let secret = keys.secret(of: form, app: app.id)
        let (key, isNew) = try await once(form, wish, AdminAccess.hash(secret), app: app)
        guard isNew else { return (key, nil) }
        hashes.change()
        return (key, secret)
    }

    private func once(
        _ form: FormKey, _ wish: Wish, _ hash: [UInt8], app: AppRecord
    ) async throws -> (AdminKeyRecord, Bool) {
        do {
            return try await make(form, wish, hash, app: app)
        } catch StoreError.duplicate {
            // Another call with this form has just made the key.
            return try await make(form, wish, hash, app: app)
        }
    }

    private func make(
        _ form: FormKey, _ wish: Wish, _ hash: [UInt8], app: AppRecord
    ) async throws -> (AdminKeyRecord, Bool) {
        try await database.write { connection in
            guard let known = try connection.adminKeys.find(hash: hash, ofApp: app.id) else {
                let key = try wish.make(hash, app: app.id, in: connection)
                try form.audit(key.name, now: wish.now, connection)
                return (key, true)
            }
            try wish.reject(unlessOf: known)
            return (known, false)
        }
    }
}

extension AdminKeyService.Wish {
    /// Refuses a form that has made this key before, and that now has other contents or comes after a day.
    fileprivate func reject(unlessOf key: AdminKeyRecord) throws(ServiceError) {
        let isSame = key.scope == scope && key.label == label && key.expiresAt == expiresAt
        let isOfToday = abs(now.timeIntervalSince(key.createdAt)) < IdempotencyStore.lifetime
        guard isSame, isOfToday, key.revokedAt == nil else {
            throw .conflict(message: "This form has made the key '\(key.name)' already. To make another, press again.")
        }
    }
}

extension ServerKeys {
    /// 256 bits that cannot be derived from the form's key alone.
    fileprivate func secret(of form: FormKey, app: Int64) -> String {
        let name = "admin-key:\(app):\(form.principal.utf8.count):\(form.principal):\(form.text)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: formSecret)
        return AdminKeyService.secret(of: Array(code))
    }
}
