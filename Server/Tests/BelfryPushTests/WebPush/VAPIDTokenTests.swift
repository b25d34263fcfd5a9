import BelfryModel
import BelfryPush
import Crypto
import Foundation
import Testing

struct VAPIDTokenTests {
    @Test("PUSH-3: the token is a JWT for the push service's origin that the public key verifies")
    func jsonWebToken() throws {
        let credentials = try Fixtures.webPushCredentials()
        let origin = try PushEndpoint("https://push.example.com:8443")
        let authorization = VAPIDToken(credentials: credentials, origin: origin, now: Fixtures.now).authorization
        #expect(authorization.hasPrefix("vapid t="))
        let parts = authorization.dropFirst("vapid t=".count).components(separatedBy: ", k=")
        try #require(parts.count == 2)
        let token = try DecodedToken(parts[0])
        #expect(token.header as? [String: String] == ["alg": "ES256", "typ": "JWT"])
        #expect(Set(token.claims.keys) == ["aud", "exp", "sub"])
        #expect(token.claims["aud"] as? String == "https://push.example.com:8443")
        #expect(token.claims["sub"] as? String == "mailto:push@example.com")
        #expect(token.claims["exp"] as? Int == 1_764_000_000 + 12 * 3_600)
        let key = try P256.Signing.PublicKey(x963Representation: DecryptingBrowser.bytes(parts[1]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        #expect(key.isValidSignature(signature, for: Data(token.signed.utf8)))
        let standard = try PushEndpoint("https://push.example.com:443/")
        let plain = VAPIDToken(credentials: credentials, origin: standard, now: Fixtures.now).authorization
        let claims = try DecodedToken(String(plain.dropFirst("vapid t=".count).prefix { $0 != "," })).claims
        #expect(claims["aud"] as? String == "https://push.example.com")
    }

    @Test("PUSH-3: a token is used 11 hours of its 12, and never seems valid for more than 24")
    func renewal() throws {
        let origin = try PushEndpoint("https://push.example.com")
        let token = VAPIDToken(credentials: try Fixtures.webPushCredentials(), origin: origin, now: Fixtures.now)
        let table: [(after: TimeInterval, serves: Bool)] = [
            (0, true), (11 * 3_600, true), (11 * 3_600 + 1, false), (12 * 3_600, false), (86_400 * 30, false),
            (-600, true), (-11 * 3_600, true), (-11 * 3_600 - 1, false), (-86_400, false),
        ]
        for (after, serves) in table {
            #expect(token.serves(at: Fixtures.now.addingTimeInterval(after)) == serves, "\(after)")
        }
    }
}
