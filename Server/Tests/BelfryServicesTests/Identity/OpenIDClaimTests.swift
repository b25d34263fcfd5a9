import BelfryModel
import BelfryPush
import Foundation
import Testing

@testable import BelfryServices

struct OpenIDClaimTests {
    private let provider: TestIdentityProvider

    init() throws {
        provider = try TestIdentityProvider()
    }

    @Test(
        "ID-3: exp, nbf and iat are checked, with 60 seconds for clocks that differ",
        arguments: [
            ("exp", 1, nil), ("exp", 0, nil), ("exp", -59, nil), ("exp", -60, .expired), ("exp", -86_400, .expired),
            ("nbf", -86_400, nil), ("nbf", 0, nil), ("nbf", 60, nil), ("nbf", 61, .notYetValid),
            ("iat", -86_400, nil), ("iat", 60, nil), ("iat", 61, .notYetValid),
        ] as [(String, Int, OpenIDError?)]
    )
    func times(claim: String, seconds: Int, expected: OpenIDError?) throws {
        let time = Int(ServiceWorld.epoch.timeIntervalSince1970) + seconds
        #expect(try fault([claim: "\(time)"]) == expected)
        #expect(try fault([claim: "\(time).0"]) == expected)
    }

    @Test("ID-3: a token is valid until its exp, in whole seconds and in parts of them")
    func life() throws {
        let token = try provider.token(claims: TestIdentityProvider.claims())
        for (second, expected) in [(0.0, nil), (659.9, nil), (660, .expired), (1e9, .expired), (-61, .notYetValid)]
            as [(Double, OpenIDError?)]
        {
            #expect(try fault(of: token, at: ServiceWorld.epoch.addingTimeInterval(second)) == expected)
        }
    }

    @Test(
        "ID-3: an invalid time is refused, and a token without expiry",
        arguments: [nil, "null", #""2036-01-01T00:00:00Z""#, #""1795263000""#, "true", "[]", "{}"] as [String?]
    )
    func noTimes(value: String?) throws {
        #expect(try fault(["exp": value]) == .noExpiry)
        let isAbsent = value == nil || value == "null"
        for claim in ["nbf", "iat"] { #expect(try fault([claim: value]) == (isAbsent ? nil : .notYetValid)) }
    }

    @Test(
        "ID-3: the issuer is exactly the one that the app trusts",
        arguments: [
            nil, "null", #""""#, #""https://id.example.com/""#, #""HTTPS://id.example.com""#,
            #""https://id.example.org""#,
            #"["https://id.example.com"]"#, #"" https://id.example.com""#, "7", "true",
        ] as [String?]
    )
    func issuers(value: String?) throws {
        #expect(try fault(["iss": value]) == .wrongIssuer)
    }

    @Test(
        "ID-3: the audience is this app, alone or among others",
        arguments: [
            (#""shop-app""#, true), (#"["shop-app"]"#, true), (#"["other","shop-app"]"#, true), (nil, false),
            ("null", false), (#""""#, false), (#""shop-app2""#, false), (#""shop""#, false), ("[]", false),
            (#"["other"]"#, false), (#"[["shop-app"]]"#, false), (#"{"shop-app":1}"#, false), ("1", false),
        ] as [(String?, Bool)]
    )
    func audiences(value: String?, isOurs: Bool) throws {
        #expect(try fault(["aud": value]) == (isOurs ? nil : .wrongAudience))
    }

    @Test("ID-3, SEC-7: issuer and audience are compared by their bytes: what Swift takes for equal is another one")
    func bytes() throws {
        // The sign for kelvins, which is the letter K to Swift.
        for audience in [#""\u212a""#, #"["\u212a","other"]"#] {
            let json = #"{"iss":"https://id.example.com/\u212a","aud":\#(audience)}"#
            let claims = try CheckedJSON.decode(OpenIDClaims.self, from: Data(json.utf8))
            #expect(claims.isFrom("https://id.example.com/\u{212a}") && !claims.isFrom("https://id.example.com/K"))
            #expect(claims.isFor("\u{212a}") && !claims.isFor("K"))
        }
    }

    @Test(
        "ID-3: the contact key is a text or a whole number",
        arguments: [
            (#""anna""#, "anna"), (#"" anna@example.com ""#, "anna@example.com"), ("42", "42"), ("-1", "-1"),
            ("9007199254740993", "9007199254740993"), (#""42""#, "42"),
        ]
    )
    func contactKeys(value: String, key: String) throws {
        #expect(try contactKey(in: "user_id", ["user_id": value]) == key)
        #expect(try contactKey(in: "sub", ["user_id": value]) == "anna")
    }

    @Test(
        "ID-3: a claim of another type is refused",
        arguments: [nil, "null", "true", "false", "1.5", "1e300", "[]", #"["anna"]"#, #"{"sub":"anna"}"#] as [String?]
    )
    func otherKinds(value: String?) throws {
        #expect(try fault(["sub": value]) == .claimMissing("sub"))
    }

    @Test("ID-3, REG-9: an invalid contact key is refused by the rules for contact keys")
    func contactKeyRules() throws {
        let long = String(repeating: "x", count: ContactKey.maximumLength + 1)
        for value in ["", "  ", long, "anonymous:1", #"an\u0000na"#] {
            let found = try fault(["sub": "\"\(value)\""])
            guard case .claimUnusable("sub", let rejection)? = found else {
                Issue.record("\(value) is refused by another rule: \(String(describing: found))")
                continue
            }
            #expect(value.isEmpty || !rejection.message.contains(value))
        }
    }

    @Test("ID-3: a token is three parts of base64url and JSON, of 8 KiB at most")
    func shape() throws {
        let good = try provider.token()
        let parts = good.split(separator: ".").map(String.init)
        let (head, rest) = (parts[0], "\(parts[1]).\(parts[2])")
        let texts = [
            "", ".", "..", "...", "a.b.c", head, rest, "\(good).x", ".\(good)", " \(good)", "\(head)=.\(rest)",
            "\(head) .\(rest)", "é.\(rest)", "Bearer \(good)",
        ]
        for text in texts { #expect(try fault(of: text) == .malformed, "\(text)") }
        for header in ["", "null", "[]", "7", "{", #"{"kid":"ec-1"}"#, #"{"alg":7}"#, #"{"alg":"ES256","kid":7}"#] {
            #expect(try fault(of: try provider.token(header: header)) == .malformed, "\(header)")
        }
        for claims in ["", "null", "[]", "7", "{", #""x""#] {
            #expect(try fault(of: try provider.token(claims: claims)) == .malformed, "\(claims)")
        }
        let critical = #"{"alg":"ES256","kid":"ec-1","crit":["exp"],"exp":1}"#
        #expect(try fault(of: try provider.token(header: critical)) == .unsupportedExtension)
    }

    @Test("ID-3: the length of a token is limited")
    func length() throws {
        func token(padding: Int) throws -> String {
            let claims = TestIdentityProvider.claims(["pad": "\"\(String(repeating: "x", count: padding))\""])
            return try provider.token(claims: claims)
        }
        let base = try token(padding: 0).utf8.count
        // Three bytes become four characters.
        let room = (OpenIDToken.maximumBytes - base) / 4 * 3
        #expect(try fault(of: try token(padding: room - 3)) == nil)
        #expect(try fault(of: try token(padding: room + 6)) == .tooLong)
    }

    @Test("SEC-3: no error repeats anything of the token")
    func messages() throws {
        let secret = "MarkerOfThisToken"
        let changes: [[String: String?]] = [
            ["iss": "\"\(secret)\""], ["aud": "\"\(secret)\""], ["exp": "\"\(secret)\""], ["nbf": "\"\(secret)\""],
            ["sub": "[\"\(secret)\"]"], ["sub": "\"anonymous:\(secret)\""],
        ]
        var errors = try changes.map { try fault($0) }
        for header in [#"{"alg":"\#(secret)"}"#, #"{"alg":"ES256","kid":"\#(secret)"}"#] {
            errors.append(try fault(of: try provider.token(header: header)))
        }
        for fault in errors {
            let found = try #require(fault)
            #expect(found.code == "openIDTokenInvalid" && !found.message.isEmpty)
            #expect(!found.message.contains(secret))
        }
    }

    private func fault(_ changes: [String: String?]) throws -> OpenIDError? {
        try fault(of: try provider.token(claims: TestIdentityProvider.claims(changes)))
    }

    private func fault(of token: String, at now: Date = ServiceWorld.epoch) throws -> OpenIDError? {
        let verifier = OpenIDVerifier(settings: try provider.settings(), now: now)
        do {
            _ = try verifier.contact(provenBy: token)
            return nil
        } catch {
            return error
        }
    }

    private func contactKey(in claim: String, _ changes: [String: String?]) throws -> String {
        let verifier = OpenIDVerifier(settings: try provider.settings(claim: claim), now: ServiceWorld.epoch)
        let token = try provider.token(claims: TestIdentityProvider.claims(changes))
        return try verifier.contact(provenBy: token).key.rawValue
    }
}
