import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// The credentials of push services: written, never read back (ADM-2, SEC-1).
extension AppService {
    /// Stores APNs credentials, encrypted, and ends the opt-outs that wrong credentials had caused (REG-33, REG-35).
    ///
    /// - Parameter revision: the revision that the editor started from. If another one is stored now, the call is a
    ///   conflict (CON-10). Nil: any stored credentials are replaced.
    @discardableResult
    package func putAPNsCredentials(
        _ secret: CredentialVault.APNsSecret, app: AppRecord, over revision: CredentialRevision? = nil
    ) async throws -> CredentialVault.APNsSecret.Facts {
        try await put(secret, app: app, over: revision)
    }

    /// Stores FCM credentials, in the same way as those for APNs.
    @discardableResult
    package func putFCMCredentials(
        _ secret: CredentialVault.FCMSecret, app: AppRecord, over revision: CredentialRevision? = nil
    ) async throws -> CredentialVault.FCMSecret.Facts {
        try await put(secret, app: app, over: revision)
    }

    /// Stores Web Push credentials, in the same way as those for APNs.
    @discardableResult
    package func putWebPushCredentials(
        _ secret: CredentialVault.WebPushSecret, app: AppRecord, over revision: CredentialRevision? = nil
    ) async throws -> CredentialVault.WebPushSecret.Facts {
        try await put(secret, app: app, over: revision)
    }

    /// Makes a key pair for Web Push and stores it. The private key never leaves the server; operators who want a copy
    /// make the pair elsewhere. If a pair is stored already, the call is a conflict, because a new pair ends all
    /// subscriptions.
    @discardableResult
    package func makeWebPushCredentials(
        subject: String, trustRoots: String?, app: AppRecord
    ) async throws -> CredentialVault.WebPushSecret.Facts {
        let secret = CredentialVault.WebPushSecret(
            subject: subject, privateKey: WebPushCredentials.makePrivateKey(randomBytes: environment.randomBytes),
            trustRoots: trustRoots
        )
        return try await put(secret, app: app, over: CredentialRevision.nothing)
    }

    /// The stored credentials, without their secrets.
    package func credentialRecord(_ provider: PushProvider, of app: AppRecord) async throws -> CredentialRecord {
        let record = try await database.read { try $0.credentials.find(app: app.id, provider: provider) }
        guard let record else { throw ServiceError.notFound(what: "credentials", id: provider.rawValue) }
        return record
    }

    /// The public key with which browsers subscribe (WIRE-16). Nil for an app without a readable key pair.
    package func webPushKey(of app: AppRecord) async throws -> String? {
        let record = try await database.read { try $0.credentials.find(app: app.id, provider: .webpush) }
        return try? record.map { try vault.open(CredentialVault.WebPushSecret.self, $0.sealed, app: app.id).publicKey }
    }

    package func credentials(of app: AppRecord) async throws -> CredentialOverview {
        let records = try await database.read { connection in
            try PushProvider.allCases.reduce(into: [PushProvider: CredentialRecord]()) { records, provider in
                records[provider] = try connection.credentials.find(app: app.id, provider: provider)
            }
        }
        func entry<Secret: ProviderSecret>(_ type: Secret.Type) -> CredentialOverview.Entry<Secret.Facts>? {
            records[Secret.provider].map { record in
                let credentials = try? vault.open(type, record.sealed, app: app.id)
                return .init(
                    facts: credentials.map(Secret.facts), updatedAt: record.updatedAt,
                    revision: CredentialRevision(record)
                )
            }
        }
        return CredentialOverview(
            apns: entry(CredentialVault.APNsSecret.self), fcm: entry(CredentialVault.FCMSecret.self),
            webpush: entry(CredentialVault.WebPushSecret.self)
        )
    }

    /// Removes credentials: from now on the server sends nothing by that service. Opt-outs that the service caused with
    /// these credentials are ended.
    ///
    /// - Parameter revision: the revision that the editor started from. If another one is stored now, the call is a
    ///   conflict (CON-10). Nil: any stored credentials are removed.
    package func removeCredentials(
        of provider: PushProvider, app: AppRecord, over revision: CredentialRevision? = nil
    ) async throws {
        let lifting = CredentialLifting(
            database: database, environment: environment, app: app.id, provider: provider
        ) { former in
            guard let former else { throw ServiceError.notFound(what: "credentials", id: provider.rawValue) }
            try revision?.require(former)
            return former.updatedAt
        }
        try await lifting.change { connection, now in
            try connection.credentials.remove(app: app.id, provider: provider, now: now)
        }
    }

    private func put<Secret: ProviderSecret>(
        _ secret: Secret, app: AppRecord, over revision: CredentialRevision?
    ) async throws -> Secret.Facts {
        try ServiceError.reject(errors(of: secret))
        let credentials = try secret.parsed()
        let sealed = try vault.seal(secret, app: app.id)
        let lifting = CredentialLifting(
            database: database, environment: environment, app: app.id, provider: Secret.provider
        ) { [vault] former in
            try revision?.require(former)
            guard let former, let old = try? vault.open(Secret.self, former.sealed, app: app.id),
                !Secret.reachTheSameDevices(old, credentials)
            else { return nil }
            // The service's responses about tokens were for another topic, project or key (REG-35).
            return former.updatedAt
        }
        try await lifting.change { connection, now in
            try connection.credentials.save(sealed, app: app.id, provider: Secret.provider, now: now)
        }
        return Secret.facts(of: credentials)
    }
}

/// An app's credentials without their secrets. Nil for a push service without credentials.
package struct CredentialOverview: Hashable, Sendable {
    package struct Entry<Facts: Hashable & Sendable>: Hashable, Sendable {
        /// Nil when the credentials cannot be decrypted: the server's secret key has changed since they were stored.
        package let facts: Facts?
        package let updatedAt: Date
        package let revision: CredentialRevision
    }

    package let apns: Entry<CredentialVault.APNsSecret.Facts>?
    package let fcm: Entry<CredentialVault.FCMSecret.Facts>?
    package let webpush: Entry<CredentialVault.WebPushSecret.Facts>?
}
