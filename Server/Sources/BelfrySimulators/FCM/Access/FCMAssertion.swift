import Crypto
import CryptoExtras
import Foundation

/// A service account's assertion with a valid signature (RFC 7523 §3).
///
/// Source: Google, "Using OAuth 2.0 for Server to Server Applications".
struct FCMAssertion: Sendable {
    /// The maximum lifetime of an assertion in seconds.
    static let longestLife: TimeInterval = 3_600
    /// The maximum difference between clocks in seconds. Google publishes no figure.
    static let clockTolerance: TimeInterval = 300
    /// The scopes that permit sending messages.
    static let messagingScopes: Set<Substring> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// An audience that is valid for any address: google-auth signs for it, whatever `token_uri` is.
    static let googleAudience = "https://oauth2.googleapis.com/token"
    private static let scopePrefix = "https://www.googleapis.com/auth/"

    let projectID: String
    let mayMessage: Bool

    private struct Header: Decodable {
        var alg: String
        var kid: String?
    }

    private struct Claims: Decodable {
        var iss: String
        var aud: TokenAudience
        var iat: Double
        var exp: Double
        var scope: String?
    }

    /// Reads an assertion for the token endpoint `audience`, or for Google's.
    init(
        _ text: String,
        audience: String,
        now: Date,
        account: (String) -> FCMServiceAccount?
    ) throws(FCMTokenError) {
        guard let token = SignedToken<Header, Claims>(text) else {
            throw FCMTokenError(.invalidGrant, "Invalid JWT: Failed to parse the JWT.")
        }
        let claims = token.claims
        guard let account = account(claims.iss) else {
            throw FCMTokenError(.invalidGrant, "Invalid grant: account not found")
        }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: token.signature)
        let digest = SHA256.hash(data: token.signedBytes)
        guard token.header.alg == "RS256", token.header.kid ?? account.privateKeyID == account.privateKeyID,
            account.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        else { throw FCMTokenError(.invalidGrant, "Invalid JWT Signature.") }
        guard !Set(claims.aud.values).isDisjoint(with: [audience, Self.googleAudience]) else {
            throw FCMTokenError(.invalidGrant, "Invalid JWT: Failed audience check. It must be \(audience)")
        }
        try Self.checkTimes(claims, now.timeIntervalSince1970)
        mayMessage = try Self.checkScope(claims.scope)
        projectID = account.projectID
    }

    private static func checkTimes(_ claims: Claims, _ now: TimeInterval) throws(FCMTokenError) {
        let isShort = claims.exp > claims.iat && claims.exp - claims.iat <= longestLife
        let isNow = claims.iat <= now + clockTolerance && claims.exp > now - clockTolerance
        guard isShort, isNow else {
            throw FCMTokenError(
                .invalidGrant,
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim."
            )
        }
    }

    private static func checkScope(_ text: String?) throws(FCMTokenError) -> Bool {
        let scopes = (text ?? "").utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard !scopes.isEmpty, scopes.allSatisfy({ $0.hasPrefix(scopePrefix) }) else {
            throw FCMTokenError(.invalidScope, "Invalid OAuth scope or ID token audience provided.")
        }
        return !messagingScopes.isDisjoint(with: scopes)
    }
}
