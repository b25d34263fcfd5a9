import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct APNsProviderTokenTests {
    private let start = Fixtures.now

    @Test("PUSH-1: the provider token is an ES256 JWT that the key's public half verifies")
    func jsonWebToken() throws {
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        let text = provider.token(now: start.addingTimeInterval(0.9))
        let token = try DecodedToken(text)
        #expect(token.header.count == 2)
        #expect(token.header["alg"] as? String == "ES256")
        #expect(token.header["kid"] as? String == "KEY1234567")
        #expect(token.claims.count == 2)
        #expect(token.claims["iss"] as? String == "TEAM123456")
        #expect(token.claims["iat"] as? Int == 1_764_000_000)
        #expect(token.claims["iat"] as? String == nil)
        #expect(token.signature.count == 64)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        #expect(try Fixtures.key().publicKey.isValidSignature(signature, for: Data(token.signed.utf8)))
    }

    @Test("PUSH-1: a token is used for 40 minutes, then replaced")
    func renewalAge() throws {
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        let first = provider.token(now: start)
        #expect(provider.token(now: start.addingTimeInterval(40 * 60 - 1)) == first)
        let second = provider.token(now: start.addingTimeInterval(40 * 60))
        #expect(second != first)
        #expect(try DecodedToken(second).issuedAt == DecodedToken(first).issuedAt + 40 * 60)
    }

    @Test("PUSH-1: over weeks no token is older than 60 minutes, and no two follow within 20", arguments: 1...4)
    func renewal(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        var now = start
        var current = provider.token(now: now)
        var issuedAt = try DecodedToken(current).issuedAt
        for _ in 0..<3_000 {
            now += Double.random(in: 0..<(Bool.random(using: &random) ? 20 : 1_500), using: &random)
            let next: String
            if Int.random(in: 0..<3, using: &random) == 0 {
                switch provider.renewAfterExpiry(of: current, now: now) {
                case .use(let token): next = token
                case .rejectedWhileFresh: continue
                }
            } else {
                next = provider.token(now: now)
            }
            if next != current {
                let nextIssuedAt = try DecodedToken(next).issuedAt
                try #require(nextIssuedAt - issuedAt >= 20 * 60 - 1)
                (current, issuedAt) = (next, nextIssuedAt)
            }
            try #require(now.timeIntervalSince1970 - Double(issuedAt) < 60 * 60)
        }
    }

    @Test("PUSH-4: a thousand 'expired' responses to one token renew it once")
    func manyInFlight() throws {
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        let old = provider.token(now: start)
        let later = start.addingTimeInterval(25 * 60)
        var answers: Set<APNsProviderToken.Renewal> = []
        for _ in 0..<1_000 {
            answers.insert(provider.renewAfterExpiry(of: old, now: later))
        }
        #expect(answers == [.use(provider.token(now: later))])
        #expect(provider.token(now: later) != old)
    }

    @Test("PUSH-1: a fresh token that APNs calls expired is kept, and reported as fresh")
    func rejectedWhileFresh() throws {
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        let token = provider.token(now: start)
        let soon = start.addingTimeInterval(20 * 60 - 1)
        #expect(provider.renewAfterExpiry(of: token, now: soon) == .rejectedWhileFresh)
        #expect(provider.token(now: soon) == token)
    }

    @Test("PUSH-1: a clock that is set back a day gets a token of its own time")
    func clockSetBack() throws {
        var provider = APNsProviderToken(credentials: try Fixtures.credentials())
        let token = provider.token(now: start)
        #expect(provider.token(now: start.addingTimeInterval(-60)) == token)
        let yesterday = start.addingTimeInterval(-86_400)
        let renewed = provider.token(now: yesterday)
        #expect(try DecodedToken(renewed).issuedAt == DecodedToken(token).issuedAt - 86_400)
    }
}
