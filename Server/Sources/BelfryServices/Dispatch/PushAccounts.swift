import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// The apps' accounts at the three push services.
package struct PushAccounts: Sendable {
    /// What a round has of one push service.
    enum Standing: Sendable {
        case ready(any PushAccount)
        /// Nothing can be sent through it now: each send ends as if the push service had answered so.
        case failed(PushOutcome)
    }

    let apns: APNsAccounts
    let fcm: FCMAccounts
    let webPush: WebPushAccounts
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    package init(vault: CredentialVault, exchange: any AccessTokenExchange, environment: ServerEnvironment) {
        apns = APNsAccounts(vault: vault)
        fcm = FCMAccounts(vault: vault, exchange: exchange)
        webPush = WebPushAccounts(vault: vault, rule: environment.pushTokens)
        randomBytes = environment.randomBytes
    }

    /// The stored credentials of one push service cannot be opened.
    struct Unreadable: Error {
        let provider: PushProvider
        let record: CredentialRecord

        /// What to do about it.
        var sentence: String {
            "The stored \(provider.title) credentials cannot be opened: the server's secret key is another one than when "
                + "they were put. Put the credentials again, or start the server with the former key, then resume: no "
                + "send is lost."
        }
    }

    /// At each push service that recipients of the load need; throws ``Unreadable``.
    func standings(for load: RoundLoad, now: Date) async throws -> [PushProvider: Standing] {
        var standings: [PushProvider: Standing] = [:]
        for (provider, record) in load.credentials
        where load.recipients.contains(where: { $0.pushToken?.provider == provider }) {
            do {
                standings[provider] = try await standing(of: load.row.app, at: provider, record: record, now: now)
            } catch {
                throw Unreadable(provider: provider, record: record)
            }
        }
        return standings
    }

    /// Throws when the credentials cannot be opened.
    func standing(
        of app: Int64, at provider: PushProvider, record: CredentialRecord, now: Date
    ) async throws -> Standing {
        switch provider {
        case .apns:
            return .ready(
                APNsSending(account: try await apns.account(app: app, record: record, now: now), accounts: apns))
        case .fcm:
            do {
                return .ready(
                    FCMSending(account: try await fcm.account(app: app, record: record, now: now), accounts: fcm))
            } catch let fault as AccessTokenFault {
                return .failed(fault.outcome)
            }
        case .webpush:
            let account = try await webPush.account(app: app, record: record, now: now)
            return .ready(WebPushSending(account: account, randomBytes: randomBytes))
        }
    }
}

extension [PushProvider: PushAccounts.Standing] {
    /// The account that a candidate's request was sent by.
    func account(of candidate: Candidate) -> any PushAccount {
        // Cannot fail: requests are made only of accounts that are ready, and a round's standings do not change.
        guard case .ready(let account)? = self[candidate.token.provider] else {
            preconditionFailure("a request was sent without an account")
        }
        return account
    }
}

extension PushProvider {
    /// As people call it.
    var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "Web Push"
        }
    }
}
