import BelfryModel

/// The identity provider that an app trusts to prove contacts (ID-3).
package struct OpenIDSettings: Hashable, Sendable, Codable {
    /// The claim with the provider's id of a person.
    package static let standardClaim = "sub"

    /// The value that a token's `iss` must have.
    package var issuer: String
    /// The value that a token's `aud` must have or contain.
    package var audience: String
    /// The claim whose value is the contact key.
    package var claim: String
    package var jwks: JSONWebKeySet

    package init(issuer: String, audience: String, claim: String = standardClaim, jwks: JSONWebKeySet) {
        self.issuer = issuer
        self.audience = audience
        self.claim = claim
        self.jwks = jwks
    }
}

extension OpenIDSettings {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            issuer: try container.decode(String.self, forKey: .issuer),
            audience: try container.decode(String.self, forKey: .audience),
            claim: try container.decodeIfPresent(String.self, forKey: .claim) ?? Self.standardClaim,
            jwks: try container.decode(JSONWebKeySet.self, forKey: .jwks)
        )
    }
}
