import Crypto
import Foundation
import Testing

@testable import BelfrySimulators

@Suite("Provider tokens")
struct ProviderTokenTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let rules = ProviderTokenRules(lifetime: 3_600, updateInterval: 1_200)

    @Test("PUSH-21: a token by Apple's rules is valid")
    func good() throws {
        let provider = try TestAPNsProvider()
        let text = try provider.token(issuedAt: now)
        let keys = [provider.keyID: try provider.publicKey()]
        let token = try #require(ProviderToken.verify(text, keys: keys))
        #expect(token.teamID == provider.teamID)
        #expect(token.issuedAt == now)
    }

    @Test("PUSH-21: a malformed token, or one of another signer, key or team, is invalid")
    func bad() throws {
        let provider = try TestAPNsProvider()
        let keys = [provider.keyID: try provider.publicKey()]
        let token = try provider.token(issuedAt: now)
        var otherTeam = provider
        otherTeam.teamID = "TEAM654321"
        var otherKey = provider
        otherKey.keyID = "KEY7654321"
        let bad = [
            "", "a.b", "a.b.c", token + "=", token + ".x", String(token.dropLast(4)),
            try TestAPNsProvider(byte: 2).token(issuedAt: now),
            try otherTeam.token(issuedAt: now),
            try otherKey.token(issuedAt: now),
            try provider.token(issuedAt: now, algorithm: "none"),
        ]
        for text in bad {
            #expect(ProviderToken.verify(text, keys: keys) == nil)
        }
    }

    @Test("PUSH-21: a token is valid for an hour")
    func age() throws {
        let provider = try TestAPNsProvider()
        var session = ProviderSession()
        let header = "bearer " + (try provider.token(issuedAt: now))
        let reasons = [
            try admit(&session, header, provider, at: 3_600),
            try admit(&session, header, provider, at: 3_601),
            try admit(&session, header, provider, at: -301),
        ]
        let expected: [APNsSimulator.Reason?] = [nil, .expiredProviderToken, .invalidProviderToken]
        #expect(reasons == expected)
    }

    @Test("PUSH-1: a token renewed within 20 minutes is refused, and the old one stays valid")
    func updates() throws {
        let provider = try TestAPNsProvider()
        var session = ProviderSession()
        let first = "bearer " + (try provider.token(issuedAt: now))
        let soon = "bearer " + (try provider.token(issuedAt: now.addingTimeInterval(1_199)))
        let later = "Bearer " + (try provider.token(issuedAt: now.addingTimeInterval(1_200)))
        let reasons = [
            try admit(&session, first, provider, at: 0),
            try admit(&session, soon, provider, at: 1_500),
            try admit(&session, first, provider, at: 1_500),
            try admit(&session, later, provider, at: 1_500),
        ]
        let expected: [APNsSimulator.Reason?] = [nil, .tooManyProviderTokenUpdates, nil, nil]
        #expect(reasons == expected)
    }

    @Test("PUSH-21: no token, an empty one, another scheme")
    func missing() throws {
        let provider = try TestAPNsProvider()
        var session = ProviderSession()
        let headers: [String?] = [nil, "", "bearer", "bearer ", "basic abc"]
        for header in headers {
            let reason = try admit(&session, header, provider, at: 0)
            #expect(reason == .missingProviderToken)
        }
        #expect(!session.isAuthenticated)
    }

    @Test("PUSH-1: a connection stays with one team")
    func teams() throws {
        let provider = try TestAPNsProvider()
        var other = try TestAPNsProvider(byte: 2)
        other.teamID = "TEAM654321"
        other.keyID = "KEY7654321"
        var session = ProviderSession()
        let first = "bearer " + (try provider.token(issuedAt: now))
        let second = "bearer " + (try other.token(issuedAt: now.addingTimeInterval(3_000)))
        let reasons = [
            try admit(&session, first, provider, at: 3_000),
            try admit(&session, second, other, at: 3_000),
        ]
        let expected: [APNsSimulator.Reason?] = [nil, .unrelatedKeyIDInToken]
        #expect(reasons == expected)
    }

    @Test("PUSH-21: a key of one environment is invalid in the other")
    func environments() {
        let token = ProviderToken(
            teamID: "TEAM123456",
            keyID: "KEY1234567",
            issuedAt: now,
            topics: nil,
            environments: [.production]
        )
        #expect(rules.error(of: token, at: .production, now: now) == nil)
        #expect(rules.error(of: token, at: .sandbox, now: now)?.reason == .badEnvironmentKeyInToken)
    }

    @Test("PUSH-21: the number of keys is limited, and a new key of the same id replaces the old one")
    func keys() throws {
        let keys = ProviderKeys()
        var provider = try TestAPNsProvider()
        let token = try provider.token(issuedAt: now)
        let first = try provider.publicKey()
        #expect(keys.register(first))
        #expect(keys.token(token) != nil)
        let second = try TestAPNsProvider(byte: 2).publicKey()
        #expect(keys.register(second))
        #expect(keys.token(token) == nil)
        for number in 1..<ProviderKeys.limit {
            provider.keyID = "K\(number)"
            let key = try provider.publicKey()
            #expect(keys.register(key))
        }
        provider.keyID = "K\(ProviderKeys.limit)"
        let last = try provider.publicKey()
        #expect(!keys.register(last))
    }

    private func admit(
        _ session: inout ProviderSession,
        _ header: String?,
        _ provider: TestAPNsProvider,
        at seconds: TimeInterval
    ) throws -> APNsSimulator.Reason? {
        let keys = [provider.keyID: try provider.publicKey()]
        let result = session.admit(
            header,
            at: .production,
            now: now.addingTimeInterval(seconds),
            rules: rules,
            verify: { ProviderToken.verify($0, keys: keys) }
        )
        guard case .failure(let error) = result else { return nil }
        return error.reason
    }
}
