import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import Crypto
import CryptoExtras
import Foundation
import Testing

struct AccessTokenTests {
    private let now = Fixtures.now

    @Test("PUSH-2: an access token is requested with an RS256 assertion of an hour that the public key verifies")
    func assertion() throws {
        let credentials = try FCMCredentials(serviceAccount: ServiceAccountFile.json())
        let request = try credentials.accessTokenRequest(now: now.addingTimeInterval(0.9))
        #expect(request.uri.url == "https://oauth2.googleapis.com/token")
        #expect(AccessTokenRequest.contentType == "application/x-www-form-urlencoded")
        let form = String(decoding: request.body, as: UTF8.self)
        let start = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        try #require(form.hasPrefix(start))
        let token = try DecodedToken(String(form.dropFirst(start.count)))
        #expect(
            token.header as? [String: String]
                == ["alg": "RS256", "typ": "JWT", "kid": ServiceAccountFile.privateKeyID]
        )
        #expect(Set(token.claims.keys) == ["iss", "scope", "aud", "iat", "exp"])
        #expect(token.claims["iss"] as? String == ServiceAccountFile.clientEmail)
        #expect(token.claims["scope"] as? String == "https://www.googleapis.com/auth/firebase.messaging")
        #expect(token.claims["aud"] as? String == "https://oauth2.googleapis.com/token")
        #expect(try token.issuedAt == 1_764_000_000)
        #expect(token.claims["exp"] as? Int == 1_764_003_600)
        let key = try ServiceAccountFile.key.publicKey
        let signature = _RSA.Signing.RSASignature(rawRepresentation: token.signature)
        #expect(key.isValidSignature(signature, for: Data(token.signed.utf8), padding: .insecurePKCS1v1_5))
    }

    @Test("PUSH-2: a key without an id is not named in the assertion")
    func withoutKeyID() throws {
        let json = ServiceAccountFile.json(["private_key_id": nil])
        let form = try FCMCredentials(serviceAccount: json).accessTokenRequest(now: now).body
        let assertion = String(decoding: form, as: UTF8.self).components(separatedBy: "assertion=").last
        #expect(try DecodedToken(assertion ?? "").header as? [String: String] == ["alg": "RS256", "typ": "JWT"])
    }

    @Test("PUSH-2: an access token is used until five minutes are left")
    func renewal() throws {
        let token = try read(#"{"access_token":"ya29.abc","expires_in":3599,"token_type":"Bearer"}"#)
        #expect(token.text == "ya29.abc")
        #expect(token.expiresAt == now.addingTimeInterval(3_599))
        let table: [(after: TimeInterval, serves: Bool)] = [
            (0, true), (3_299, true), (3_300, false), (3_600, false), (-299, true), (-301, false), (-86_400, false),
        ]
        for (after, serves) in table {
            #expect(token.serves(at: now.addingTimeInterval(after)) == serves, "\(after)")
        }
    }

    @Test("PUSH-2: the life of a token is read within limits; a short one is used for half of it")
    func lifetimes() throws {
        let table: [(said: String, seconds: TimeInterval)] = [
            (#","expires_in":60"#, 60), (#","expires_in":0"#, 1), (#","expires_in":-5"#, 1), ("", 3_600),
            (#","expires_in":"soon""#, 3_600), (#","expires_in":1e12"#, 86_400), (#","expires_in":null"#, 3_600),
        ]
        for (said, seconds) in table {
            let token = try read(#"{"access_token":"a"\#(said)}"#)
            #expect(token.expiresAt == now.addingTimeInterval(seconds), "\(said)")
        }
        let short = try read(#"{"access_token":"a","expires_in":60}"#)
        #expect(short.serves(at: now.addingTimeInterval(30)))
        #expect(!short.serves(at: now.addingTimeInterval(31)))
    }

    @Test(
        "PUSH-2: a response without a usable token is a problem of the other side",
        arguments: [
            "", "{", "null", "[]", "{}", #"{"access_token":7}"#, #"{"access_token":""}"#, #"{"access_token":"a b"}"#,
            #"{"access_token":"a\r\nx: y"}"#, #"{"access_token":"é"}"#, #"{"id_token":"a"}"#,
            #"{"access_token":"\#(String(repeating: "a", count: 8_193))"}"#,
        ]
    )
    func unreadable(_ body: String) {
        #expect(throws: AccessTokenError.unavailable(reason: "unreadableAccessToken")) { try read(body) }
    }

    @Test(
        "PUSH-21: a rejection is a credential error in Google's word; other problems are not; no body is kept")
    func rejections() {
        let described = #"{"error":"invalid_grant","error_description":"Invalid JWT Signature for secret."}"#
        let table: [(status: Int, body: String, fault: AccessTokenError)] = [
            (400, described, .rejected(reason: "invalid_grant")),
            (401, #"{"error":"invalid_client"}"#, .rejected(reason: "invalid_client")),
            (403, #"{"error":"access_denied"}"#, .rejected(reason: "access_denied")),
            (400, #"{"error":"two words"}"#, .rejected(reason: "status400")),
            (400, #"{"error":{"code":1}}"#, .rejected(reason: "status400")),
            (404, "<html>", .rejected(reason: "status404")),
            (400, #"{"error":"internal_failure"}"#, .unavailable(reason: "internal_failure")),
            (429, #"{"error":"rate_limit"}"#, .unavailable(reason: "rate_limit")),
            (408, "", .unavailable(reason: "status408")), (500, "x", .unavailable(reason: "status500")),
            (503, described, .unavailable(reason: "invalid_grant")), (302, "", .unavailable(reason: "status302")),
            (201, #"{"access_token":"a"}"#, .unavailable(reason: "status201")),
        ]
        for (status, body, fault) in table {
            #expect(throws: fault, "\(status) \(body)") { try read(body, status: status) }
        }
        #expect(AccessTokenError.rejected(reason: "a").outcome == .credentialError(reason: "a"))
        #expect(AccessTokenError.unavailable(reason: "a").outcome == .notSent(reason: "a"))
    }

    @Test("SEC-3: a description does not contain the token")
    func description() throws {
        let token = try read(#"{"access_token":"ya29.abc","expires_in":3599}"#)
        #expect(!"\(token)".contains("ya29"))
    }

    private func read(_ body: String, status: Int = 200) throws -> AccessToken {
        try AccessToken.read(status: status, body: Array(body.utf8), now: now)
    }
}
