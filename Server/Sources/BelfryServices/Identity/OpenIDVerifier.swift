import BelfryModel
import BelfryServerModel
import Foundation

/// A contact that a token has proven. Only ``OpenIDVerifier`` creates one.
package struct ProvenContact: Hashable, Sendable {
    let key: ContactKey

    fileprivate init(_ key: ContactKey) {
        self.key = key
    }
}

/// Decides whether a token proves a contact (ID-3): it must be signed by the app's identity provider with an allowed
/// algorithm, be for this app, and be valid now. The claims are read only after the signature was verified.
struct OpenIDVerifier {
    /// How far the provider's clock may be from the server's, in seconds.
    static let leeway = 60.0

    let settings: OpenIDSettings
    let now: Date
    var keys = VerificationKeys()

    func contact(provenBy text: String) throws(OpenIDError) -> ProvenContact {
        ProvenContact(try claims(provenBy: try OpenIDToken(text)).contactKey(in: settings.claim))
    }

    /// The claims of a token. Throws unless the token is signed by the provider, for this audience, and valid now.
    func claims(provenBy token: OpenIDToken) throws(OpenIDError) -> OpenIDClaims {
        try checkSignature(of: token)
        let claims = try token.claims()
        guard claims.isFrom(settings.issuer) else { throw .wrongIssuer }
        guard claims.isFor(settings.audience) else { throw .wrongAudience }
        try claims.checkTimes(at: now.timeIntervalSince1970, leeway: Self.leeway)
        return claims
    }

    /// The token's `kid` selects the key; without one, every key of its algorithm is tried.
    private func checkSignature(of token: OpenIDToken) throws(OpenIDError) {
        let named = settings.jwks.keys.filter { token.keyID == nil || $0.kid == token.keyID }
        guard !named.isEmpty else { throw .unknownKey }
        // A key of one algorithm never checks a signature of another.
        let fitting = named.filter { $0.signingAlgorithm == token.algorithm }
        guard !fitting.isEmpty else { throw .wrongKey }
        let isSigned = fitting.contains { key in
            keys.key(key, for: token.algorithm)?.verifies(token.signature, of: token.signed) == true
        }
        guard isSigned else { throw .badSignature }
    }
}
