import BelfryModel
import BelfryPush
import BelfryStore
import Crypto
import Foundation

/// An app's APNs credentials and the current provider token.
struct APNsAccount: Sendable {
    let credentials: APNsCredentials
    let providerToken: String
}

/// Decrypts credentials and keeps one provider token per signing key, renewed in time (PUSH-1).
///
/// Apps that share a key share its token, and a `PUT` of the same key keeps it: APNs answers
/// `TooManyProviderTokenUpdates` to a sender that uses two tokens of one key within 20 minutes.
package actor APNsAccounts {
    /// The owner of a provider token.
    private struct Signer: Hashable {
        let teamID: String
        let keyID: String
        let privateKey: Data

        init(_ credentials: APNsCredentials) {
            teamID = credentials.teamID
            keyID = credentials.keyID
            privateKey = credentials.privateKey.rawRepresentation
        }
    }

    private struct Opened {
        let revision: Int64
        let credentials: APNsCredentials
    }

    private struct Issued {
        var token: APNsProviderToken
        var usedAt: Date
    }

    private let vault: CredentialVault
    private var opened: [Int64: Opened] = [:]
    private var tokens: [Signer: Issued] = [:]

    package init(vault: CredentialVault) {
        self.vault = vault
    }

    func account(app: Int64, record: CredentialRecord, now: Date) throws -> APNsAccount {
        let credentials = try credentials(app: app, record: record)
        let signer = Signer(credentials)
        var token = token(of: signer, credentials, now: now)
        let text = token.token(now: now)
        tokens[signer] = Issued(token: token, usedAt: now)
        return APNsAccount(credentials: credentials, providerToken: text)
    }

    /// Called when APNs reports the account's token as expired: the next call creates a new one. False when the token
    /// is only moments old: then this server's clock is wrong, and a new token would not help.
    func renew(_ account: APNsAccount, now: Date) -> Bool {
        let signer = Signer(account.credentials)
        guard var issued = tokens[signer] else { return true }
        let renewal = issued.token.renewAfterExpiry(of: account.providerToken, now: now)
        tokens[signer] = issued
        return renewal != .refusedWhileFresh
    }

    private func credentials(app: Int64, record: CredentialRecord) throws -> APNsCredentials {
        if let opened = opened[app], opened.revision == record.revision { return opened.credentials }
        let credentials = try vault.open(CredentialVault.APNsSecret.self, record.sealed, app: app)
        opened[app] = Opened(revision: record.revision, credentials: credentials)
        return credentials
    }

    private func token(of signer: Signer, _ credentials: APNsCredentials, now: Date) -> APNsProviderToken {
        if let issued = tokens[signer] { return issued.token }
        // A token that was unused for this long would be replaced in any case.
        tokens = tokens.filter { abs(now.timeIntervalSince($0.value.usedAt)) < APNsProviderToken.renewalAge }
        return APNsProviderToken(credentials: credentials)
    }
}
