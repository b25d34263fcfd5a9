import Crypto
import Foundation

extension ProviderToken {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Double
    }

    /// Reads a JWT (RFC 7519, in the compact form of RFC 7515) and checks its ES256 signature (RFC 7518 §3.4).
    /// Nil if it is malformed, of an unknown key or of another team, or signed by somebody else.
    ///
    /// Source: Apple, "Establishing a token-based connection to APNs".
    static func verify(_ text: String, keys: [String: APNsSimulator.ProviderKey]) -> ProviderToken? {
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
