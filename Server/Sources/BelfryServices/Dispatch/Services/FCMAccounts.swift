import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// An app's FCM credentials and the current access token.
struct FCMAccount: Sendable {
    let credentials: FCMCredentials
    let accessToken: String
    fileprivate let app: Int64
    fileprivate let revision: Int64
}

/// Decrypts service accounts and keeps one access token for each, renewed in time (PUSH-2).
///
/// A token costs a request to Google that may fail, and many batches need it at once. So all of them wait for one
/// request, and after a failure there is a delay before the next one.
package actor FCMAccounts {
    /// Seconds to wait after a failure: the first delay, doubling up to the longest.
    static let firstDelay: TimeInterval = 1
    static let longestDelay: TimeInterval = 60
    /// A token that is younger than this is not renewed when FCM rejects it, in seconds.
    static let minimumAge: TimeInterval = 60

    private typealias TokenResult = Result<AccessToken, AccessTokenError>

    private struct Failure {
        let fault: AccessTokenError
        let count: Int
        let at: Date

        func stands(at now: Date) -> Bool {
            let rest = min(FCMAccounts.firstDelay * Double(1 << min(count - 1, 10)), FCMAccounts.longestDelay)
            // If the clock was set back, the delay is over.
            return (0..<rest).contains(now.timeIntervalSince(at))
        }
    }

    private struct Opened {
        let revision: Int64
        let credentials: FCMCredentials
        var token: AccessToken?
        var call: Task<TokenResult, Never>?
        var failure: Failure?
    }

    private let vault: CredentialVault
    private let exchange: any AccessTokenExchange
    private var opened: [Int64: Opened] = [:]

    package init(vault: CredentialVault, exchange: any AccessTokenExchange) {
        self.vault = vault
        self.exchange = exchange
    }

    /// Throws an `AccessTokenError` when there is no access token; any other error means that the credentials cannot be
    /// decrypted.
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

    /// Called when FCM rejects the account's access token: the next call gets a new one. False when the token is only
    /// moments old: then a new one would not help, and the credentials are wrong.
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

    private func newToken(app: Int64, _ held: Opened, now: Date) async -> TokenResult {
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

    /// Stores the result of the request, unless the credentials were replaced meanwhile.
    private func end(app: Int64, revision: Int64, with answer: TokenResult, now: Date) {
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
    ) async -> TokenResult {
        do {
            let request = try credentials.accessTokenRequest(now: now)
            let answer = try await exchange.post(request, trustRoots: credentials.trustRoots)
            return .success(try AccessToken.read(status: answer.status, body: answer.body, now: now))
        } catch let fault as AccessTokenError {
            return .failure(fault)
        } catch let fault as AccessTokenExchangeError {
            return .failure(.unavailable(reason: fault.reason))
        } catch {
            return .failure(.unavailable(reason: "no request was sent to the authorization server"))
        }
    }
}
