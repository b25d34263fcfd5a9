import Crypto
import Foundation

/// A provider authentication token (JWT) with a valid signature. It may still be too old.
struct ProviderToken: Sendable, Equatable {
    var teamID: String
    var keyID: String
    var issuedAt: Date
    /// The topics to which the key may push; nil: all.
    var topics: Set<String>?
    /// The environments to which the key may push.
    var environments: Set<APNsEnvironment>
}

extension ProviderToken {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Double
    }

    /// Reads a JWT (RFC 7519, in the compact form of RFC 7515) and checks its ES256 signature (RFC 7518 §3.4). Nil if
    /// it is malformed, of an unknown key or of another team, or its signature is invalid.
    ///
    /// Source: Apple, "Establishing a token-based connection to APNs".
    static func verify(_ text: String, keys: [String: APNsProviderKey]) -> ProviderToken? {
        guard let token = SignedToken<Header, Claims>(text), token.header.alg == "ES256",
            let key = keys[token.header.kid], key.teamID == token.claims.iss,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature),
            key.publicKey.isValidSignature(signature, for: token.signedBytes)
        else { return nil }
        return ProviderToken(
            teamID: key.teamID,
            keyID: key.keyID,
            issuedAt: Date(timeIntervalSince1970: token.claims.iat),
            topics: key.topics,
            environments: key.environments
        )
    }
}

/// The maximum age of a provider token, and how often a provider may renew it.
struct ProviderTokenRules: Sendable, Equatable {
    /// The maximum time in seconds that `iat` may be in the future, because clocks differ. Apple publishes no figure.
    static let clockTolerance: TimeInterval = 300

    /// In seconds. Apple: "APNs rejects any request whose token contains a timestamp that is more than one hour old".
    var lifetime: TimeInterval
    /// In seconds. Apple: "APNs reports an error if you recreate your tokens more than once every 20 minutes". Nil: no
    /// limit.
    var updateInterval: TimeInterval?

    func error(of token: ProviderToken, at environment: APNsEnvironment, now: Date) -> APNsRequestError? {
        let age = now.timeIntervalSince(token.issuedAt)
        if age > lifetime { return APNsRequestError(.expiredProviderToken) }
        if age < -Self.clockTolerance { return APNsRequestError(.invalidProviderToken) }
        if !token.environments.contains(environment) { return APNsRequestError(.badEnvironmentKeyInToken) }
        return nil
    }

    /// Whether `new` may take the place of `old` on a connection. What counts is when they were made, not when they
    /// came, so that a connection that begins with an old token may renew it soon.
    func error(of new: ProviderToken, after old: ProviderToken) -> APNsRequestError? {
        if new.teamID != old.teamID { return APNsRequestError(.unrelatedKeyIDInToken) }
        if let updateInterval, new.issuedAt.timeIntervalSince(old.issuedAt) < updateInterval {
            return APNsRequestError(.tooManyProviderTokenUpdates)
        }
        return nil
    }
}
