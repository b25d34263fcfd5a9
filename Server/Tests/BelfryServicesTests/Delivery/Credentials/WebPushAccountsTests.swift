import BelfryModel
import BelfryPush
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct WebPushAccountsTests {
    private let vault = CredentialVault(keys: TestKeys.server())
    private let google: PushEndpoint
    private let mozilla: PushEndpoint

    init() throws {
        google = try PushEndpoint("https://fcm.googleapis.com")
        mozilla = try PushEndpoint("https://updates.push.services.mozilla.com")
    }

    private func account(
        rule: PushTokenRule = PushTokenRule(), secret: CredentialVault.WebPushSecret = TestKeys.webPush()
    ) throws -> WebPushAccount {
        let record = CredentialRecord(
            sealed: try vault.seal(secret, app: 1), revision: 1, updatedAt: ServiceWorld.epoch
        )
        return try cache(rule).account(app: 1, record: record)
    }

    private func cache(
        _ rule: PushTokenRule = PushTokenRule()
    ) -> AccountCache<CredentialVault.WebPushSecret, WebPushAccount> {
        AccountCache(vault: vault) { WebPushAccount(credentials: $0, rule: rule, former: $1) }
    }

    @Test("PUSH-3: each push service gets its own token, the same for hours and then a new one")
    func tokens() throws {
        let account = try account()
        func authorization(_ endpoint: PushEndpoint, hours: Double) throws -> String {
            try account.authorization(for: endpoint, now: ServiceWorld.epoch.addingTimeInterval(hours * 3_600))
        }
        let first = try authorization(google, hours: 0)
        #expect(first.hasPrefix("vapid t=") && first.hasSuffix(", k=\(account.credentials.publicKey)"))
        #expect(try authorization(google, hours: 10) == first)
        #expect(try authorization(mozilla, hours: 0) != first)
        #expect(try authorization(google, hours: 11.5) != first)
        // A clock that was set back by a day would send a token that is good for too long.
        #expect(try authorization(google, hours: -24) != first)
    }

    @Test("SEC-2: endpoints come from devices, so the number of cached tokens is limited")
    func bounded() throws {
        let tokens = VAPIDTokens()
        let credentials = try TestKeys.webPush().parsed()
        for number in 0..<(VAPIDTokens.maximumCount + 20) {
            let origin = try PushEndpoint("https://push\(number).example.com")
            _ = tokens.token(for: origin, of: credentials, now: ServiceWorld.epoch)
            #expect(tokens.count <= VAPIDTokens.maximumCount)
        }
        #expect(tokens.count > 0)
    }

    @Test("SEC-5: nothing is sent to a host that the operator does not list, or to a private address")
    func hosts() throws {
        let hosts = try #require(WebPushHosts("mozilla.com"))
        let account = try account(rule: PushTokenRule(endpoints: .publicOnly, hosts: hosts))
        #expect(throws: Never.self) { try account.authorization(for: mozilla, now: ServiceWorld.epoch) }
        #expect(throws: ValueError.self) { try account.authorization(for: google, now: ServiceWorld.epoch) }
        let privateEndpoint = try PushEndpoint("https://10.0.0.1")
        let open = try self.account()
        #expect(throws: ValueError.self) { try open.authorization(for: privateEndpoint, now: ServiceWorld.epoch) }
        // One of before the rule.
        let anyPort = try PushEndpoint("https://updates.push.services.mozilla.com:6379")
        #expect(throws: ValueError.self) { try open.authorization(for: anyPort, now: ServiceWorld.epoch) }
    }

    @Test("REG-33: credentials that were put again are decrypted again")
    func revisions() throws {
        let accounts = cache()
        var keys: [String] = []
        for revision in [1, 1, 2] as [Int64] {
            let record = CredentialRecord(
                sealed: try vault.seal(TestKeys.webPush(), app: 1), revision: revision, updatedAt: ServiceWorld.epoch
            )
            keys.append(try accounts.account(app: 1, record: record).credentials.publicKey)
        }
        #expect(keys[0] == keys[1] && keys[1] != keys[2])
    }

    @Test("SEC-5: a service that has answered stays known for new credentials, unless they trust other certificates")
    func answersStay() throws {
        let accounts = cache()
        let root = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let edge = try PushEndpoint("https://wns2-par02p.notify.windows.com")
        func account(_ revision: Int64, trustRoots: String? = nil) throws -> WebPushAccount {
            let record = CredentialRecord(
                sealed: try vault.seal(TestKeys.webPush(trustRoots: trustRoots), app: 1), revision: revision,
                updatedAt: ServiceWorld.epoch
            )
            return try accounts.account(app: 1, record: record)
        }
        let first = try account(1)
        #expect(!first.knows(edge))
        first.noteResponse(of: edge)
        let second = try account(2)
        #expect(second.knows(edge) && second.credentials.publicKey != first.credentials.publicKey)
        let third = try account(3, trustRoots: root)
        #expect(!third.knows(edge))
        third.noteResponse(of: edge)
        #expect(try account(4, trustRoots: root).knows(edge))
        #expect(try !account(5).knows(edge))
    }
}
