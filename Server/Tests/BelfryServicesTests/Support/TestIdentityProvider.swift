import BelfryModel
import BelfryPush
import BelfryServerModel
import Crypto
import CryptoExtras
import Foundation

/// An identity provider with a key of each kind: it signs whatever a test asks for.
struct TestIdentityProvider {
    enum Signer: Hashable, Sendable, CaseIterable {
        case rsa
        case p256
    }

    static let issuer = "https://id.example.com"
    static let audience = "shop-app"
    /// Making one takes long: the tests share it.
    private static let sharedRSA: Result<_RSA.Signing.PrivateKey, any Error> = Result {
        try _RSA.Signing.PrivateKey(keySize: .bits2048)
    }

    let rsa: _RSA.Signing.PrivateKey
    let p256 = P256.Signing.PrivateKey()

    init() throws {
        rsa = try Self.sharedRSA.get()
    }

    func rsaKey(kid: String? = "rsa-1", alg: String? = nil) throws -> JSONWebKey {
        let numbers = try rsa.publicKey.getKeyPrimitives()
        return JSONWebKey(
            kty: "RSA", kid: kid, use: "sig", alg: alg, n: Base64URL.encode(numbers.modulus),
            e: Base64URL.encode(numbers.publicExponent)
        )
    }

    func p256Key(kid: String? = "ec-1", alg: String? = nil) -> JSONWebKey {
        let point = Array(p256.publicKey.rawRepresentation)
        return JSONWebKey(
            kty: "EC", kid: kid, alg: alg, crv: "P-256", x: Base64URL.encode(point.prefix(32)),
            y: Base64URL.encode(point.suffix(32))
        )
    }

    /// The settings of an app that trusts this provider.
    func settings(claim: String = "sub", keys: [JSONWebKey]? = nil) throws -> OpenIDSettings {
        let keys = try keys ?? [rsaKey(), p256Key()]
        return OpenIDSettings(
            issuer: Self.issuer, audience: Self.audience, claim: claim, jwks: JSONWebKeySet(keys: keys)
        )
    }

    /// - Parameters:
    ///   - header: JSON; by default the signer's algorithm and key.
    ///   - claims: JSON.
    func token(_ signer: Signer = .p256, header: String? = nil, claims: String = claims()) throws -> String {
        let signed = Self.signed(header ?? Self.header(signer), claims)
        let signature = try signature(signer, of: signed)
        return "\(signed).\(Base64URL.encode(signature))"
    }

    func signature(_ signer: Signer, of text: String) throws -> Data {
        let bytes = Array(text.utf8)
        switch signer {
        case .rsa: return try rsa.signature(for: bytes, padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256: return try p256.signature(for: bytes).rawRepresentation
        }
    }

    static func header(_ signer: Signer) -> String {
        switch signer {
        case .rsa: #"{"alg":"RS256","kid":"rsa-1","typ":"JWT"}"#
        case .p256: #"{"alg":"ES256","kid":"ec-1","typ":"JWT"}"#
        }
    }

    static func signed(_ header: String, _ claims: String) -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    }

    /// The claims of a token that proves `anna` for ten minutes from ``ServiceWorld/epoch`` on.
    ///
    /// - Parameter changes: other values as JSON; a nil leaves a claim out.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        let now = Int(ServiceWorld.epoch.timeIntervalSince1970)
        var claims: [String: String?] = [
            "iss": "\"\(issuer)\"", "aud": "\"\(audience)\"", "exp": "\(now + 600)", "iat": "\(now)", "sub": #""anna""#,
        ]
        claims.merge(changes) { $1 }
        let members = claims.compactMapValues(\.self).map { "\"\($0.key)\":\($0.value)" }
        return "{" + members.sorted().joined(separator: ",") + "}"
    }
}
