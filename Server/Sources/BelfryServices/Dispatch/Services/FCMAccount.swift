import BelfryPush
import Foundation

/// An app's service account at FCM, and its access token, renewed in time (PUSH-2).
///
/// A token costs a request to Google that may fail, and many batches need it at the same time. So all of them wait for
/// one request, and after a failure there is a delay before the next one.
actor FCMAccount {
    /// Seconds to wait after a failure: the first delay, doubling up to the longest.
    static let firstDelay: TimeInterval = 1
    static let longestDelay: TimeInterval = 60
    /// A token that is younger than this is not renewed when FCM rejects it, in seconds.
    static let minimumAge: TimeInterval = 60

    private typealias TokenResult = Result<AccessToken, AccessTokenError>

    private struct Failure {
        let error: AccessTokenError
        let count: Int
        let at: Date

        func stands(at now: Date) -> Bool {
            let rest = min(FCMAccount.firstDelay * Double(1 << min(count - 1, 10)), FCMAccount.longestDelay)
            // If the clock was set back, the delay is over.
            return (0..<rest).contains(now.timeIntervalSince(at))
        }
    }

    let credentials: FCMCredentials
    private let exchange: any AccessTokenExchange
    private var token: AccessToken?
    private var call: Task<TokenResult, Never>?
    private var failure: Failure?

    init(_ credentials: FCMCredentials, exchange: any AccessTokenExchange) {
        self.credentials = credentials
        self.exchange = exchange
    }

    func accessToken(now: Date) async throws(AccessTokenError) -> String {
        if let token, token.serves(at: now) { return token.text }
        return try await newToken(now: now).get().text
    }

    /// Called when FCM rejects an access token: the next call gets a new one. False when the token is only moments old:
    /// then a new one would not help, and the credentials are wrong.
    func renew(_ rejected: String, now: Date) -> Bool {
        guard let token, token.text == rejected else { return true }
        guard abs(now.timeIntervalSince(token.issuedAt)) >= Self.minimumAge else { return false }
        self.token = nil
        return true
    }

    private func newToken(now: Date) async -> TokenResult {
        if let call { return await call.value }
        if let failure, failure.stands(at: now) { return .failure(failure.error) }
        let request = Task { [exchange, credentials] in
            let answer = await Self.ask(exchange, credentials, now: now)
            end(with: answer, now: now)
            return answer
        }
        call = request
        return await request.value
    }

    private func end(with answer: TokenResult, now: Date) {
        call = nil
        switch answer {
        case .success(let token):
            self.token = token
            failure = nil
        case .failure(let error):
            failure = Failure(error: error, count: (failure?.count ?? 0) + 1, at: now)
        }
    }

    private static func ask(
        _ exchange: any AccessTokenExchange, _ credentials: FCMCredentials, now: Date
    ) async -> TokenResult {
        do {
            let request = try credentials.accessTokenRequest(now: now)
            let answer = try await exchange.post(request, trustRoots: credentials.trustRoots)
            return .success(try AccessToken.read(status: answer.status, body: answer.body, now: now))
        } catch let error as AccessTokenError {
            return .failure(error)
        } catch let error as AccessTokenExchangeError {
            return .failure(.unavailable(reason: error.reason))
        } catch {
            return .failure(.unavailable(reason: "no request was sent to the authorization server"))
        }
    }
}
