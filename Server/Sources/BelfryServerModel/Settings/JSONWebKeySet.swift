import BelfryModel

/// The public keys of an identity provider (RFC 7517 §5).
package struct JSONWebKeySet: Hashable, Sendable, Codable {
    package var keys: [JSONWebKey]

    package init(keys: [JSONWebKey]) {
        self.keys = keys
    }
}

/// One public key (RFC 7517 §4, RFC 7518 §6). Numbers are base64url. Other members are ignored.
package struct JSONWebKey: Hashable, Sendable, Codable {
    /// The key type: `RSA`, `EC` …
    package var kty: String
    /// The key's id, which tokens name.
    package var kid: String?
    /// The key's purpose: `sig` or `enc`.
    package var use: String?
    /// The algorithm that the key is meant for, such as `ES256`.
    package var alg: String?
    /// The curve of an EC key.
    package var crv: String?
    /// An EC key's coordinates.
    package var x: String?
    package var y: String?
    /// An RSA key's modulus and exponent.
    package var n: String?
    package var e: String?
    /// The members of private keys that were present. Their values are neither read nor written.
    package private(set) var secretMembers: [String] = []

    package init(
        kty: String, kid: String? = nil, use: String? = nil, alg: String? = nil, crv: String? = nil, x: String? = nil,
        y: String? = nil, n: String? = nil, e: String? = nil
    ) {
        self.kty = kty
        self.kid = kid
        self.use = use
        self.alg = alg
        self.crv = crv
        self.x = x
        self.y = y
        self.n = n
        self.e = e
    }

    private enum CodingKeys: String, CodingKey {
        case kty, kid, use, alg, crv, x, y, n, e
    }

    /// The members of private and of symmetric keys.
    private enum SecretKeys: String, CodingKey, CaseIterable {
        case d, p, q, dp, dq, qi, oth, k
    }
}

extension JSONWebKey {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            kty: try container.decode(String.self, forKey: .kty), kid: try text(.kid), use: try text(.use),
            alg: try text(.alg), crv: try text(.crv), x: try text(.x), y: try text(.y), n: try text(.n), e: try text(.e)
        )
        let secrets = try decoder.container(keyedBy: SecretKeys.self)
        secretMembers = SecretKeys.allCases.filter { secrets.contains($0) }.map(\.rawValue)
    }
}
