import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// An app's APNs credentials and the provider token that is current.
struct APNsAccount: Sendable {
    let credentials: APNsCredentials
    let providerToken: String
}

/// Unseals credentials and keeps one provider token per app, renewed in time (PUSH-1).
package actor APNsAccounts {
    private struct Entry {
        let revision: Int64
        let credentials: APNsCredentials
        var token: APNsProviderToken
    }

    private let vault: CredentialVault
    private var entries: [Int64: Entry] = [:]

    package init(vault: CredentialVault) {
        self.vault = vault
    }

    func account(app: Int64, record: CredentialRecord, now: Date) throws -> APNsAccount {
        var entry = try entry(app: app, record: record)
        let token = entry.token.token(now: now)
        entries[app] = entry
        return APNsAccount(credentials: entry.credentials, providerToken: token)
    }

    /// APNs called the token expired: the next one is new. False when it was made a moment ago: then this server's
    /// clock is wrong, and another token would be no better.
    func renew(_ refused: String, app: Int64, now: Date) -> Bool {
        guard var entry = entries[app] else { return true }
        let renewal = entry.token.renewAfterExpiry(of: refused, now: now)
        entries[app] = entry
        return renewal != .refusedWhileFresh
    }

    private func entry(app: Int64, record: CredentialRecord) throws -> Entry {
        if let entry = entries[app], entry.revision == record.revision { return entry }
        let credentials = try vault.openAPNs(record.sealed, app: app)
        return Entry(
            revision: record.revision, credentials: credentials, token: APNsProviderToken(credentials: credentials)
        )
    }
}
