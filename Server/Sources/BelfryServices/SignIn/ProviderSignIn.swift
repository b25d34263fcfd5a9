import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation
import Logging
import Synchronization

/// Signs people in with an identity provider: OpenID Connect, authorization code with PKCE (CON-3). A person who signs
/// in for the first time gets an account without any role.
package struct ProviderSignIn: Sendable {
    /// The most sign-ins that wait for the provider at the same time (SEC-2). Each waits a few seconds at most.
    static let maximumAtOnce = 32
    static let maximumCodeLength = 2_048
    static let maximumTokenBytes = 65_536

    /// The provider's configuration and the means to call it.
    package struct Connection: Sendable {
        let provider: SignInProvider
        let transport: any ProviderTransport
        let logger: Logger

        /// - Parameter logger: logs why somebody could not sign in.
        package init(provider: SignInProvider, transport: any ProviderTransport, logger: Logger) {
            self.provider = provider
            self.transport = transport
            self.logger = logger
        }
    }

    /// The address to which a browser is sent, and the attempt that it keeps until it returns.
    package struct Departure: Sendable {
        package let address: String
        package let attempt: String
    }

    /// The provider's response, which a browser returns in the query of the address (RFC 6749 §4.1.2, RFC 9207).
    package struct AuthorizationResponse: Sendable {
        package var state: String
        package var code: String
        package var error: String
        package var issuer: String

        package init(state: String, code: String, error: String, issuer: String) {
            self.state = state
            self.code = code
            self.error = error
            self.issuer = issuer
        }
    }

    /// The result of a successful sign-in.
    package struct Arrival: Sendable {
        package let signedIn: SignInService.SignedIn
        /// The page that the person wanted. Empty when it is not known.
        package let next: String
    }

    package let provider: SignInProvider
    private let transport: any ProviderTransport
    private let logger: Logger
    private let directory: ProviderDirectory
    private let keys: ServerKeys
    private let users: UserService
    private let signIn: SignInService
    private let environment: ServerEnvironment
    private let verificationKeys = VerificationKeys()
    private let gate = ProviderGate()

    init(
        _ connection: Connection, keys: ServerKeys, users: UserService, signIn: SignInService,
        environment: ServerEnvironment
    ) {
        provider = connection.provider
        transport = connection.transport
        logger = connection.logger
        directory = ProviderDirectory(
            provider: connection.provider, transport: connection.transport, now: environment.now
        )
        self.keys = keys
        self.users = users
        self.signIn = signIn
        self.environment = environment
    }

    /// How long a browser keeps an attempt, in seconds.
    package static var attemptLifetime: Int { SignInAttempt.lifetime }

    /// Sends a browser to the provider.
    ///
    /// - Parameters:
    ///   - next: the page to open afterwards; it is returned unchanged.
    ///   - address: the address whose attempts are counted. Nil when they are not.
    package func begin(next: String, from address: IPAddress?) async throws -> Departure {
        try await explained {
            try signIn.limits.attempt(name: nil, address: address)
            let metadata = try await gate.pass { try await directory.describe() }
            let attempt = SignInAttempt(next: next, environment: environment)
            return Departure(
                address: authorizationAddress(metadata, attempt),
                attempt: try attempt.sealed(keys, provider: provider)
            )
        }
    }

    /// Completes a sign-in with the provider's response.
    ///
    /// - Parameter attempt: the attempt that the browser kept. Nil when it kept none.
    package func finish(
        _ response: AuthorizationResponse, attempt sealed: String?, from address: IPAddress?, agent: String
    ) async throws -> Arrival {
        try await explained {
            try signIn.limits.attempt(name: nil, address: address)
            let attempt = try expected(response, sealed)
            let claims = try await gate.pass { try await proven(by: response, attempt) }
            let user = try await person(claims)
            let signedIn = try await signIn.begin(for: user.id, agent: agent)
            if let address { signIn.limits.succeeded(from: address) }
            return Arrival(signedIn: signedIn, next: attempt.next)
        }
    }

    /// The attempt to which a response belongs. It is checked before any call to the provider.
    private func expected(_ response: AuthorizationResponse, _ sealed: String?) throws(ProviderError) -> SignInAttempt {
        let found = sealed.flatMap { text in
            SignInAttempt(sealed: text, keys: keys, provider: provider, now: environment.now())
        }
        guard let attempt = found else { throw .noAttempt }
        guard constantTimeEqual(Array(response.state.utf8), Array(attempt.state.utf8)) else { throw .wrongState }
        return attempt
    }

    private func proven(by response: AuthorizationResponse, _ attempt: SignInAttempt) async throws -> OpenIDClaims {
        let metadata = try await directory.describe()
        if metadata.namesItself || !response.issuer.isEmpty {
            guard response.issuer.utf8.elementsEqual(provider.issuer.utf8) else { throw ProviderError.wrongIssuer }
        }
        guard response.error.isEmpty else {
            throw response.error == "access_denied" ? ProviderError.declined : .rejected
        }
        guard !response.code.isEmpty, response.code.utf8.count <= Self.maximumCodeLength else {
            throw ProviderError.noCode
        }
        let token = try await token(for: response.code, attempt, metadata)
        return try await claims(of: token, attempt)
    }

    private func person(_ claims: OpenIDClaims) async throws -> UserRow {
        guard let subject = claims.text("sub"), (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 > 31 && $0 < 127 })
        else { throw ProviderError.noSubject }
        return try await users.person(
            of: provider.issuer, subject: subject,
            email: claims.isTrue("email_verified") ? claims.text("email") : nil,
            displayName: claims.text("name") ?? claims.text("email") ?? claims.text("preferred_username")
        )
    }

    /// Does some work. Its errors are logged for the operator, and the person gets a sentence.
    private func explained<Output>(_ work: () async throws -> Output) async throws -> Output {
        do {
            return try await work()
        } catch let error as ProviderError {
            logger.warning("a sign-in by the identity provider failed", metadata: ["reason": "\(error.reason)"])
            throw ServiceError.unauthorized(code: "providerSignIn", message: error.message)
        }
    }
}

extension ProviderSignIn {
    /// The provider's address for the browser (OpenID Connect Core 1.0 §3.1.2.1).
    private func authorizationAddress(_ metadata: ProviderMetadata, _ attempt: SignInAttempt) -> String {
        let query = Self.form([
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", provider.returnAddress),
            ("scope", "openid profile email"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ])
        let address = metadata.authorization.url
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    private struct TokenResponse: Decodable {
        var id_token: String
    }

    /// Exchanges the code for a token (RFC 6749 §4.1.3, RFC 7636 §4.5).
    private func token(
        for code: String, _ attempt: SignInAttempt, _ metadata: ProviderMetadata
    ) async throws -> String {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", provider.returnAddress),
            ("code_verifier", attempt.verifier),
        ]
        var authorization: String?
        switch provider.clientSecret {
        case let secret? where metadata.takesBasic:
            // Both parts are form-encoded first (RFC 6749 §2.3.1).
            let pair = "\(WireURL.encoded(provider.clientID)):\(WireURL.encoded(secret))"
            authorization = "Basic \(Data(pair.utf8).base64EncodedString())"
        case let secret?:
            fields += [("client_id", provider.clientID), ("client_secret", secret)]
        case nil:
            fields.append(("client_id", provider.clientID))
        }
        let request = ProviderRequest(
            address: metadata.token, form: Array(Self.form(fields).utf8), authorization: authorization
        )
        do {
            let (status, body) = try await transport.send(request)
            guard status == 200,
                let response = try? CheckedJSON.decode(
                    TokenResponse.self, from: body, maximumBytes: Self.maximumTokenBytes
                )
            else { throw ProviderError.noToken(status: status) }
            return response.id_token
        } catch let unreachable as AccessTokenExchangeError {
            throw ProviderError.unreachable(unreachable)
        }
    }

    /// The claims of a token, after all checks (OpenID Connect Core 1.0 §3.1.3.7).
    private func claims(of text: String, _ attempt: SignInAttempt) async throws -> OpenIDClaims {
        do {
            let token = try OpenIDToken(text)
            let verifier = OpenIDVerifier(
                settings: OpenIDSettings(
                    issuer: provider.issuer, audience: provider.clientID,
                    jwks: try await directory.keySet(with: token.keyID)
                ),
                now: environment.now(), keys: verificationKeys
            )
            let claims = try verifier.claims(provenBy: token)
            guard claims.isOnlyFor(provider.clientID) else { throw ProviderError.wrongParty }
            let nonce = claims.text("nonce") ?? ""
            guard constantTimeEqual(Array(nonce.utf8), Array(attempt.nonce.utf8)) else {
                throw ProviderError.wrongNonce
            }
            return claims
        } catch let error as OpenIDError {
            throw ProviderError.badToken(error)
        }
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(WireURL.encoded($0.1))" }.joined(separator: "&")
    }
}

/// Limits how many sign-ins wait for the provider at the same time.
private final class ProviderGate: Sendable {
    private let count = Mutex(0)

    func pass<Output>(_ work: () async throws -> Output) async throws -> Output {
        let isFree = count.withLock { count in
            guard count < ProviderSignIn.maximumAtOnce else { return false }
            count += 1
            return true
        }
        guard isFree else { throw ProviderError.tooManyAtOnce }
        defer { count.withLock { $0 -= 1 } }
        return try await work()
    }
}
