import BelfryModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryServices

struct PushTokenRuleTests {
    private let rule = PushTokenRule()

    private func webPush(_ text: String, _ rule: PushTokenRule = PushTokenRule()) throws(ValueError) -> PushToken {
        try rule.token(text, provider: .webpush, environment: .production)
    }

    private func code(_ text: String, _ rule: PushTokenRule = PushTokenRule()) -> String? {
        do {
            _ = try webPush(text, rule)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("WIRE-5, REG-27: one subscription is one token, however the page wrote it")
    func canonical() throws {
        let plain = TestKeys.subscription()
        let token = try webPush(plain)
        let object = try #require(BrowserSubscription(text: plain))
        let spaced = """
            { "keys": { "auth": "\(object.keys.auth)==", "p256dh": "\(object.keys.p256dh)=" },
              "endpoint": "https:\\/\\/push.example.com\\/send\\/1" }
            """
        let plainBase64 = plain.replacing("-", with: "+").replacing("_", with: "/")
            .replacing("\(object.endpoint)", with: object.endpoint)
        #expect(try webPush(spaced) == token)
        #expect(try webPush(token.value) == token)
        #expect(!token.value.contains("expirationTime") && !token.value.contains(" "))
        // The endpoint has neither letter.
        #expect(try webPush(plainBase64) == token)
        #expect(try webPush(TestKeys.subscription()) != token)
    }

    @Test("WIRE-5: an invalid subscription is not a web push token")
    func broken() throws {
        let good = TestKeys.subscription()
        let object = try #require(BrowserSubscription(text: good))
        let wrong: [(String, String)] = [
            ("", "invalidSubscription"), ("0123456789abcdef", "invalidSubscription"), ("{}", "invalidSubscription"),
            (good.replacing("\"endpoint\"", with: "\"end\""), "invalidSubscription"),
            (good.replacing(object.keys.p256dh, with: "AAAA"), "invalidSubscription"),
            (good.replacing(object.keys.auth, with: "AAAA"), "invalidSubscription"),
            (good.replacing("https://", with: "http://"), "notHTTPS"),
            (good.replacing("push.example.com", with: "user@push.example.com"), "invalidURL"),
            (good.replacing("/send/1", with: "/send/1#x"), "invalidURL"),
            (good.replacing("/send/1", with: "/" + String(repeating: "x", count: 4_096)), "invalidSubscription"),
        ]
        for (text, expected) in wrong { #expect(code(text) == expected, "\(text.prefix(100))") }
    }

    @Test(
        "SEC-5: a browser cannot direct the server to a private address",
        arguments: [
            "127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "metadata.google.internal", "0x7f.1",
        ]
    )
    func privateAddresses(host: String) {
        let text = TestKeys.subscription("https://\(host):8443/send/1")
        #expect(code(text) == "privateAddress")
        let isLoopback = ["127.0.0.1", "localhost", "[::1]"].contains(host)
        #expect(code(text, PushTokenRule(endpoints: .loopback)) == (isLoopback ? nil : "privateAddress"))
        #expect(code(text, PushTokenRule(endpoints: .anywhere)) == nil)
    }

    @Test("SEC-5: a browser names no port but the usual one, unless the operator permits private addresses")
    func ports() {
        for host in ["push.example.com", "93.184.216.34", "[2606:2800:220:1::1]"] {
            #expect(code(TestKeys.subscription("https://\(host)/send/1")) == nil, "\(host)")
            #expect(code(TestKeys.subscription("https://\(host):443/send/1")) == nil, "\(host)")
            for port in [22, 80, 444, 5432, 6379, 8443, 65_535] {
                let text = TestKeys.subscription("https://\(host):\(port)/send/1")
                #expect(code(text) == "portNotAllowed", "\(host):\(port)")
                #expect(code(text, PushTokenRule(endpoints: EndpointPolicy.loopback.forDevices)) == "portNotAllowed")
                #expect(code(text, PushTokenRule(endpoints: .anywhere)) == nil, "\(host):\(port)")
            }
        }
    }

    @Test("SEC-5: with a list of hosts, only they and their subdomains are accepted")
    func hosts() throws {
        let hosts = try #require(WebPushHosts(" push.example.com, Mozilla.com"))
        let rule = PushTokenRule(hosts: hosts)
        for host in [
            "push.example.com", "a.push.example.com", "updates.push.services.mozilla.com", "PUSH.example.com.",
        ] {
            #expect(code(TestKeys.subscription("https://\(host)/1"), rule) == nil, "\(host)")
        }
        for host in ["example.com", "xpush.example.com", "push.example.com.evil.net", "mozilla.org"] {
            #expect(code(TestKeys.subscription("https://\(host)/1"), rule) == "hostNotAllowed", "\(host)")
        }
        for text in ["", ",", "https://a.example", "a.example:443", "*.example", "a..b", "10.0.0.1", "a b"] {
            #expect(WebPushHosts(text) == nil, "'\(text)'")
        }
    }

    @Test(
        "WIRE-5: tokens of the other services are 1 to 4,096 visible ASCII characters",
        arguments: [PushProvider.apns, .fcm])
    func otherServices(provider: PushProvider) {
        for text in ["", " ", "a b", "é", "a\u{0}", String(repeating: "a", count: 4_097)] {
            #expect(throws: ValueError.self) { try rule.token(text, provider: provider, environment: .production) }
        }
        for text in ["a", "fcm:APA91b-_", String(repeating: "a", count: 4_096)] {
            #expect(throws: Never.self) { try rule.token(text, provider: provider, environment: .production) }
        }
    }

    @Test("REG-25, WIRE-8: in a snapshot a bad subscription is rejected alone, and the previous token stays")
    func snapshot() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let good = TestKeys.subscription()
        for (token, reason) in [
            (good, nil), (TestKeys.subscription("https://10.0.0.1/1"), "privateAddress"),
            ("abc", "invalidSubscription"),
        ] as [(String, String?)] {
            let receipt = try await device.register {
                $0.pushToken = token
                $0.platform = "web"
                $0.tags = ["a"]
            }
            try await world.process()
            let state = try await world.registrations.receipt(
                receipt.registrationID, caller: try device.authenticated()
            ).value
            #expect(state.rejected.map(\.reason) == (reason.map { [$0] } ?? []))
            #expect(state.rejected.allSatisfy { $0.field == "pushToken" })
            let stored = try await world.profile(device).device.pushToken
            #expect(stored == (try webPush(good)))
        }
    }

    @Test("REG-27: a subscription that comes from a second installation moves there, whichever call brings it")
    func moves() async throws {
        let world = try await ServiceWorld()
        let text = TestKeys.subscription()
        let first = try await ServiceDevice.started(world, 1)
        try await first.putToken(text, provider: .webpush)
        var second = try await ServiceDevice.started(world, 2)
        world.clock.advance(by: 1)
        try await second.register {
            $0.pushToken = text
            $0.pushProvider = .webpush
        }
        try await world.process()
        #expect(try await world.profile(first).device.pushToken == nil)
        #expect(try await world.profile(second).device.pushToken != nil)
    }
}
