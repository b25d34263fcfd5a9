import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// An app's FCM credentials and the access token that is current.
struct FCMAccount: Sendable {
    let credentials: FCMCredentials
    let accessToken: String
    fileprivate let app: Int64
    fileprivate let revision: Int64
}

/// Unseals service accounts and keeps one access token for each, renewed in time (PUSH-2).
///
/// A token costs a call to Google that may fail, and many batches need it at once: there is one call at a time for all
/// who wait, and a failure is remembered for a moment, so that nobody hammers.
package actor FCMAccounts {
    /// Seconds that a failure stands: the first one, doubling up to the longest.
    static let firstRest: TimeInterval = 1
    static let longestRest: TimeInterval = 60
    /// Seconds within which another token would be no better than the one that FCM refused.
    static let minimumAge: TimeInterval = 60

    private typealias Answer = Result<AccessToken, AccessTokenFault>

    private struct Failure {
        let fault: AccessTokenFault
        let count: Int
        let at: Date

        func stands(at now: Date) -> Bool {
            let rest = min(FCMAccounts.firstRest * Double(1 << min(count - 1, 10)), FCMAccounts.longestRest)
            // A clock that was set back must not freeze it.
            return (0..<rest).contains(now.timeIntervalSince(at))
        }
    }

    private struct Opened {
        let revision: Int64
        let credentials: FCMCredentials
        var token: AccessToken?
        var call: Task<Answer, Never>?
        var failure: Failure?
    }

    private let vault: CredentialVault
    private let exchange: any AccessTokenExchange
    private var opened: [Int64: Opened] = [:]

    package init(vault: CredentialVault, exchange: any AccessTokenExchange) {
        self.vault = vault
        self.exchange = exchange
    }

    /// Throws an `AccessTokenFault` when there is no access token; any other error means that the credentials cannot be
    /// opened.
    func account(app: Int64, record: CredentialRecord, now: Date) async throws -> FCMAccount {
        let held = try open(app: app, record: record)
        let token: AccessToken
        if let current = held.token, current.serves(at: now) {
            token = current
        } else {
            token = try await newToken(app: app, held, now: now).get()
        }
        return FCMAccount(
            credentials: held.credentials, accessToken: token.text, app: app, revision: held.revision
        )
    }

    /// FCM called the account's access token no longer good: the next one is new. False when it was got a moment ago:
    /// then another token would be no better, and the credentials are at fault.
    func renew(_ account: FCMAccount, now: Date) -> Bool {
        guard let held = opened[account.app], held.revision == account.revision, let token = held.token,
            token.text == account.accessToken
        else { return true }
        guard abs(now.timeIntervalSince(token.issuedAt)) >= Self.minimumAge else { return false }
        opened[account.app]?.token = nil
        return true
    }

    private func open(app: Int64, record: CredentialRecord) throws -> Opened {
        if let held = opened[app], held.revision == record.revision { return held }
        let credentials = try vault.open(CredentialVault.FCMSecret.self, record.sealed, app: app)
        let held = Opened(revision: record.revision, credentials: credentials)
        opened[app] = held
        return held
    }

    private func newToken(app: Int64, _ held: Opened, now: Date) async -> Answer {
        if let call = held.call { return await call.value }
        if let failure = held.failure, failure.stands(at: now) { return .failure(failure.fault) }
        let call = Task { [exchange] in
            let answer = await Self.ask(exchange, held.credentials, now: now)
            end(app: app, revision: held.revision, with: answer, now: now)
            return answer
        }
        opened[app]?.call = call
        return await call.value
    }

    /// Keeps what came of the call, unless other credentials have been put meanwhile.
    private func end(app: Int64, revision: Int64, with answer: Answer, now: Date) {
        guard var held = opened[app], held.revision == revision else { return }
        held.call = nil
        switch answer {
        case .success(let token):
            held.token = token
            held.failure = nil
        case .failure(let fault):
            held.failure = Failure(fault: fault, count: (held.failure?.count ?? 0) + 1, at: now)
        }
        opened[app] = held
    }

    private static func ask(
        _ exchange: any AccessTokenExchange, _ credentials: FCMCredentials, now: Date
    ) async -> Answer {
        do {
            let request = try credentials.accessTokenRequest(now: now)
            let answer = try await exchange.post(request, trustRoots: credentials.trustRoots)
            return .success(try AccessToken.read(status: answer.status, body: answer.body, now: now))
        } catch let fault as AccessTokenFault {
            return .failure(fault)
        } catch let fault as AccessTokenExchangeFault {
            return .failure(.unavailable(reason: fault.reason))
        } catch {
            return .failure(.unavailable(reason: "the authorization server was not asked"))
        }
    }
}
