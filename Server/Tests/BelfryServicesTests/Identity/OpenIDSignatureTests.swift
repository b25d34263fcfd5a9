import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

@testable import BelfryServices

struct OpenIDSignatureTests {
    private let provider: TestIdentityProvider

    init() throws {
        provider = try TestIdentityProvider()
    }

    @Test("ID-3: the signatures of RFC 7515 are valid, and over any other bytes invalid", arguments: RFC7515Example.all)
    func examples(_ example: RFC7515Example) throws {
        let token = try OpenIDToken(example.token)
        #expect(token.algorithm == example.algorithm && token.keyID == nil)
        let key = try VerificationKey(example.key, for: example.algorithm)
        #expect(key.verifies(token.signature, of: token.signed))
        let signed = Array(token.signed)
        for index in signed.indices {
            var other = signed
            other[index] ^= 1
            #expect(!key.verifies(token.signature, of: other), "byte \(index)")
        }
        // What comes behind the signature is checked then: these tokens name no audience.
        let settings = OpenIDSettings(
            issuer: RFC7515Example.issuer, audience: "shop", jwks: JSONWebKeySet(keys: [example.key])
        )
        let verifier = OpenIDVerifier(
            settings: settings, now: Date(timeIntervalSince1970: RFC7515Example.expiry - 1)
        )
        #expect(fault(example.token, verifier) == .wrongAudience)
    }

    @Test("ID-3: a token of the provider proves the contact", arguments: TestIdentityProvider.Signer.allCases)
    func proves(_ signer: TestIdentityProvider.Signer) throws {
        let verifier = OpenIDVerifier(settings: try provider.settings(), now: ServiceWorld.epoch)
        let proven = try verifier.contact(provenBy: try provider.token(signer))
        #expect(proven.key.rawValue == "anna")
    }

    @Test("ID-3: with any one character changed it proves nothing", arguments: TestIdentityProvider.Signer.allCases)
    func anyCharacter(_ signer: TestIdentityProvider.Signer) throws {
        let token = Array(try provider.token(signer).utf8)
        #expect(try fault(String(decoding: token, as: UTF8.self)) == nil)
        var dice = SeededGenerator(seed: 515)
        for index in token.indices {
            for _ in 0..<2 {
                var changed = token
                changed[index] ^= 1 << UInt8.random(in: 0..<7, using: &dice)
                let text = String(decoding: changed, as: UTF8.self)
                #expect(try fault(text) != nil, "character \(index)")
            }
        }
    }

    @Test("ID-3: a signature has one spelling", arguments: TestIdentityProvider.Signer.allCases)
    func spelling(_ signer: TestIdentityProvider.Signer) throws {
        let token = try provider.token(signer)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for letter in letters where letter != token.last {
            #expect(try fault(String(token.dropLast()) + String(letter)) != nil, "ends in \(letter)")
        }
        for tail in ["=", "==", " ", "\n", "."] { #expect(try fault(token + tail) == .malformed) }
        for tail in ["A", "AA"] { #expect(try fault(token + tail) != nil) }
    }

    @Test(
        "ID-3: alg none, shared secrets and other algorithms are always refused",
        arguments: [
            "none", "None", "NONE", "", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "ES384", "ES512",
            "ES256K", "EdDSA", "rs256", "es256", " RS256",
        ]
    )
    func algorithms(_ algorithm: String) throws {
        for key in [#""rsa-1""#, #""ec-1""#, "null"] {
            let header = #"{"alg":"\#(algorithm)","kid":\#(key)}"#
            let signed = TestIdentityProvider.signed(header, TestIdentityProvider.claims())
            #expect(try fault(signed + ".") == .algorithmNotAllowed)
            for signer in TestIdentityProvider.Signer.allCases {
                #expect(try fault(try provider.token(signer, header: header)) == .algorithmNotAllowed)
            }
        }
    }

    @Test("ID-3: a public key does not work as a shared secret")
    func publicKeyAsSecret() throws {
        let rsa = try provider.rsaKey()
        let secrets: [Data] = [
            Data(provider.rsa.publicKey.pemRepresentation.utf8), provider.rsa.publicKey.derRepresentation,
            Data(provider.rsa.publicKey.pkcs1PEMRepresentation.utf8), Data((rsa.n ?? "").utf8),
            try JSONEncoder().encode(rsa), provider.p256.publicKey.x963Representation,
            Data(provider.p256.publicKey.pemRepresentation.utf8),
        ]
        let cases: [(String, OpenIDError)] = [
            ("HS256", .algorithmNotAllowed), ("RS256", .badSignature), ("ES256", .badSignature),
        ]
        for (algorithm, expected) in cases {
            let signed = TestIdentityProvider.signed(#"{"alg":"\#(algorithm)"}"#, TestIdentityProvider.claims())
            for secret in secrets {
                let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: SymmetricKey(data: secret))
                #expect(try fault("\(signed).\(Base64URL.encode(mac))") == expected)
            }
            #expect(try fault(signed + ".") == expected)
        }
    }

    @Test("ID-3: the algorithm must fit the key that the token names")
    func keyType() throws {
        let crossed = try provider.token(.p256, header: #"{"alg":"ES256","kid":"rsa-1"}"#)
        #expect(try fault(crossed) == .wrongKey)
        #expect(try fault(try provider.token(.rsa, header: #"{"alg":"RS256","kid":"ec-1"}"#)) == .wrongKey)
        // A key that names an algorithm serves no other, and one for encryption none.
        var enciphering = try provider.rsaKey()
        enciphering.use = "enc"
        for key in [try provider.rsaKey(alg: "RS512"), try provider.rsaKey(alg: "ES256"), enciphering] {
            #expect(try fault(try provider.token(.rsa), keys: [key]) == .wrongKey)
        }
        #expect(try fault(try provider.token(.rsa), keys: [try provider.rsaKey(alg: "RS256")]) == nil)
    }

    @Test("ID-3: kid selects the key; a token without one is checked with every key of its algorithm")
    func keyNames() throws {
        let otherProvider = try TestIdentityProvider()
        let keys = [otherProvider.p256Key(kid: "old"), try provider.rsaKey(), provider.p256Key()]
        let nameless = try provider.token(.p256, header: #"{"alg":"ES256"}"#)
        #expect(try fault(nameless, keys: keys) == nil)
        #expect(try fault(try provider.token(.p256), keys: keys) == nil)
        let misnamed = try provider.token(.p256, header: #"{"alg":"ES256","kid":"old"}"#)
        #expect(try fault(misnamed, keys: keys) == .badSignature)
        #expect(try fault(try provider.token(.p256, header: #"{"alg":"ES256","kid":"EC-1"}"#)) == .unknownKey)
        #expect(try fault(try otherProvider.token(.p256)) == .badSignature)
        #expect(try fault(try otherProvider.token(.p256, header: #"{"alg":"ES256"}"#)) == .badSignature)
        // Two keys of one name, as while a provider changes them.
        #expect(try fault(try provider.token(.p256), keys: [otherProvider.p256Key(), provider.p256Key()]) == nil)
    }

    @Test("ID-3: a signature of only zeros or ones is invalid", arguments: [0, 1, 0xff] as [UInt8])
    func degenerate(_ byte: UInt8) throws {
        for signer in TestIdentityProvider.Signer.allCases {
            let signed = TestIdentityProvider.signed(
                TestIdentityProvider.header(signer), TestIdentityProvider.claims()
            )
            for count in [0, 1, 63, 64, 65, 72, 255, 256, 257] {
                let signature = Base64URL.encode([UInt8](repeating: byte, count: count))
                #expect(try fault("\(signed).\(signature)") == .badSignature)
            }
        }
    }

    private func fault(_ token: String, keys: [JSONWebKey]? = nil) throws -> OpenIDError? {
        fault(token, OpenIDVerifier(settings: try provider.settings(keys: keys), now: ServiceWorld.epoch))
    }

    private func fault(_ token: String, _ verifier: OpenIDVerifier) -> OpenIDError? {
        do {
            _ = try verifier.contact(provenBy: token)
            return nil
        } catch {
            return error
        }
    }
}
