import BelfryModel
import BelfryPush
import BelfryServerModel
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import BelfryServices

struct KeySetTests {
    private let provider: TestIdentityProvider

    init() throws {
        provider = try TestIdentityProvider()
    }

    @Test("ID-3: of a provider's key set, only the verification keys are kept, unchanged")
    func usableKeys() throws {
        let rsa = try provider.rsaKey(alg: "RS256")
        let p256 = provider.p256Key(kid: nil)
        var others = [
            JSONWebKey(kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
            JSONWebKey(kty: "EC", crv: "P-384", x: "x", y: "y"), JSONWebKey(kty: "EC", x: "x", y: "y"),
            JSONWebKey(kty: "RSA", alg: "RSA-OAEP", n: "n", e: "e"), JSONWebKey(kty: "oct"), JSONWebKey(kty: "rsa"),
        ]
        others.append(JSONWebKey(kty: "RSA", use: "enc", n: rsa.n, e: rsa.e))
        let (settings, errors) = checked(keys: [others[0], rsa] + Array(others.dropFirst()) + [p256])
        #expect(settings.jwks.keys == [rsa, p256])
        #expect(errors.isEmpty)
        #expect(checked(keys: others).errors.map(\.field) == ["openID.jwks.keys"])
    }

    @Test("ID-3: a key set has 1 to 20 verification keys")
    func count() throws {
        let keys = (0..<21).map { provider.p256Key(kid: "key-\($0)") }
        #expect(checked(keys: Array(keys.prefix(20))).errors.isEmpty)
        for wrong in [[], keys] {
            let errors = checked(keys: wrong).errors
            #expect(errors.map(\.field) == ["openID.jwks.keys"] && errors.map(\.error.code) == ["keyCount"])
        }
    }

    @Test("ID-3: a private key or a shared secret is refused, even among public ones, and not repeated")
    func privateKeys() throws {
        let members = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        for member in members {
            let json = #"{"kty":"EC","crv":"P-256","x":"x","y":"y","use":"enc","\#(member)":"TheSecret"}"#
            let key = try JSONDecoder().decode(JSONWebKey.self, from: Data(json.utf8))
            let (_, errors) = checked(keys: [provider.p256Key(), key])
            #expect(errors.map(\.field) == ["openID.jwks.keys[1]"] && errors.map(\.error.code) == ["privateKey"])
            #expect(errors.allSatisfy { $0.error.message.contains("'\(member)'") })
            #expect(errors.allSatisfy { !$0.error.message.contains("TheSecret") })
        }
    }

    @Test("ID-3: an RSA key has 2048 to 4096 bits and a usual exponent")
    func rsaKeys() throws {
        let good = try provider.rsaKey()
        let cases: [(String?, String?, String?)] = [
            (good.n, good.e, nil), (Self.ones(256), "Aw", nil), (Self.ones(512), "AQAB", nil),
            // Leading zeros count for nothing.
            (Base64URL.encode([0] + [UInt8](repeating: 0xff, count: 256)), "AAEAAQ", nil),
            (nil, "AQAB", "n"), ("", "AQAB", "n"), ("no base64url!", "AQAB", "n"), ("AQ==", "AQAB", "n"),
            (Self.ones(128), "AQAB", "n"), (Self.ones(255), "AQAB", "n"), (Self.ones(513), "AQAB", "n"),
            (Base64URL.encode([UInt8](repeating: 0, count: 256)), "AQAB", "n"),
            (Base64URL.encode([UInt8](repeating: 0xfe, count: 256)), "AQAB", "n"),
            (good.n, nil, "e"), (good.n, "", "e"), (good.n, "AQ", "e"), (good.n, "AA", "e"), (good.n, "AQAA", "e"),
            (good.n, "Av____8", "e"), (good.n, good.n, "e"),
        ]
        for (modulus, exponent, error) in cases {
            let errors = checked(keys: [JSONWebKey(kty: "RSA", n: modulus, e: exponent)]).errors
            let expected = error.map { ["openID.jwks.keys[0].\($0)"] } ?? []
            #expect(errors.map(\.field) == expected, "\(modulus ?? "none"), \(exponent ?? "none")")
        }
    }

    @Test("ID-3: an EC key is a point of P-256, both coordinates in full")
    func p256Keys() throws {
        let good = provider.p256Key()
        let short = Base64URL.encode([UInt8](repeating: 1, count: 31))
        let long = Base64URL.encode([UInt8](repeating: 1, count: 33))
        let cases: [(String?, String?, String?)] = [
            (good.x, good.y, nil), (nil, good.y, "x"), (good.x, nil, "y"), (short, good.y, "x"), (good.x, long, "y"),
            (good.x, good.x, "x"), (good.y, good.x, "x"), ("=", good.y, "x"),
        ]
        for (x, y, error) in cases {
            let errors = checked(keys: [JSONWebKey(kty: "EC", crv: "P-256", x: x, y: y)]).errors
            #expect(errors.map(\.field) == (error.map { ["openID.jwks.keys[0].\($0)"] } ?? []))
        }
    }

    @Test("ADM-3: every error of the provider's settings is reported, not only the first")
    func allFaults() throws {
        let settings = OpenIDSettings(
            issuer: " ", audience: String(repeating: "a", count: 256), claim: String(repeating: "c", count: 65),
            jwks: JSONWebKeySet(keys: [
                JSONWebKey(kty: "RSA"), try provider.rsaKey(), JSONWebKey(kty: "EC", crv: "P-256"),
            ])
        )
        var fields: [String] = []
        _ = settings.checked(at: "openID") { fields.append($0.field) }
        #expect(
            fields == [
                "openID.issuer", "openID.audience", "openID.claim", "openID.jwks.keys[0].n", "openID.jwks.keys[2].x",
            ]
        )
    }

    private func checked(keys: [JSONWebKey]) -> (settings: OpenIDSettings, errors: [FieldError]) {
        let settings = OpenIDSettings(issuer: "i", audience: "a", jwks: JSONWebKeySet(keys: keys))
        var errors: [FieldError] = []
        let kept = settings.checked(at: "openID") { errors.append($0) }
        return (kept, errors)
    }

    /// An odd number of so many bytes, as no real modulus is.
    private static func ones(_ count: Int) -> String {
        Base64URL.encode([UInt8](repeating: 0xff, count: count))
    }
}
