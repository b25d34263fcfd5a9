import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The apps' accounts at the three push services.
package struct PushAccounts: Sendable {
    /// Whether a round can send through one push service.
    enum AccountState: Sendable {
        case ready(any PushProviderSession)
        /// Nothing can be sent through the service now: each send gets this outcome.
        case failed(PushOutcome)
    }

    private let apns: AccountCache<CredentialVault.APNsSecret, APNsCredentials>
    private let apnsTokens = APNsProviderTokens()
    private let fcm: AccountCache<CredentialVault.FCMSecret, FCMAccount>
    private let webPush: AccountCache<CredentialVault.WebPushSecret, WebPushAccount>
    private let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    package init(vault: CredentialVault, exchange: any AccessTokenExchange, environment: ServerEnvironment) {
        apns = AccountCache(vault: vault) { credentials, _ in credentials }
        fcm = AccountCache(vault: vault) { credentials, _ in FCMAccount(credentials, exchange: exchange) }
        let rule = environment.pushTokens
        webPush = AccountCache(vault: vault) { WebPushAccount(credentials: $0, rule: rule, former: $1) }
        randomBytes = environment.randomBytes
    }

    /// The stored credentials of one push service cannot be decrypted.
    struct Unreadable: Error {
        let provider: PushProvider
        let record: CredentialRecord

        /// An explanation with the way to fix it.
        var sentence: String {
            "The stored \(provider.title) credentials cannot be decrypted: the server's secret key has changed since "
                + "they were stored. Set the credentials again, or start the server with the former key, then resume. "
                + "No message is lost."
        }
    }

    /// The account states at each push service that the batch's recipients need. Throws ``Unreadable``.
    func accountStates(for load: BatchContext, now: Date) async throws -> [PushProvider: AccountState] {
        var accountStates: [PushProvider: AccountState] = [:]
        for (provider, record) in load.credentials.needed(by: load.recipients) {
            do {
                accountStates[provider] = try await accountState(
                    of: load.row.app, at: provider, record: record, now: now
                )
            } catch {
                throw Unreadable(provider: provider, record: record)
            }
        }
        return accountStates
    }

    /// Accounts with which pushes can be built and judged, but not sent: no push service is asked for a token (CON-12).
    ///
    /// - Returns: the accounts, and an error for each push service whose credentials cannot be decrypted.
    func rehearsed(for load: BatchContext) -> (accounts: [PushProvider: AccountState], unreadable: [Unreadable]) {
        var accounts: [PushProvider: AccountState] = [:]
        var unreadable: [Unreadable] = []
        for (provider, record) in load.credentials {
            do {
                accounts[provider] = .ready(try rehearsedSession(of: load.row.app, at: provider, record: record))
            } catch {
                unreadable.append(Unreadable(provider: provider, record: record))
            }
        }
        return (accounts, unreadable)
    }

    private func rehearsedSession(
        of app: Int64, at provider: PushProvider, record: CredentialRecord
    ) throws -> any PushProviderSession {
        switch provider {
        case .apns:
            APNsSession(
                credentials: try apns.account(app: app, record: record), providerToken: "", tokens: apnsTokens
            )
        case .fcm:
            FCMSession(account: try fcm.account(app: app, record: record), accessToken: "")
        case .webpush:
            WebPushSession(
                account: try webPush.account(app: app, record: record), randomBytes: randomBytes, isRehearsed: true
            )
        }
    }

    /// The state of an app's account at a push service. Throws if the credentials cannot be decrypted.
    func accountState(
        of app: Int64, at provider: PushProvider, record: CredentialRecord, now: Date
    ) async throws -> AccountState {
        switch provider {
        case .apns:
            let credentials = try apns.account(app: app, record: record)
            let token = await apnsTokens.token(of: credentials, now: now)
            return .ready(APNsSession(credentials: credentials, providerToken: token, tokens: apnsTokens))
        case .fcm:
            let account = try fcm.account(app: app, record: record)
            do throws(AccessTokenError) {
                return .ready(FCMSession(account: account, accessToken: try await account.accessToken(now: now)))
            } catch {
                return .failed(error.outcome)
            }
        case .webpush:
            let account = try webPush.account(app: app, record: record)
            return .ready(WebPushSession(account: account, randomBytes: randomBytes))
        }
    }
}

extension [PushProvider: CredentialRecord] {
    /// The credentials for the push services of these recipients.
    func needed(by recipients: [Recipient]) -> Self {
        filter { provider, _ in recipients.contains { $0.pushToken?.provider == provider } }
    }
}

extension [PushProvider: PushAccounts.AccountState] {
    /// Whether a push can be sent through the service now.
    func isReady(_ provider: PushProvider) -> Bool {
        if case .ready? = self[provider] { true } else { false }
    }

    /// The account through which a candidate's request was sent.
    func account(of candidate: Candidate) -> any PushProviderSession {
        // Cannot fail: requests are built only for ready accounts, and a round's account states do not change.
        guard case .ready(let account)? = self[candidate.token.provider] else {
            preconditionFailure("a request was sent without an account")
        }
        return account
    }
}

extension PushProvider {
    /// The push service's usual name.
    package var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "Web Push"
        }
    }
}
